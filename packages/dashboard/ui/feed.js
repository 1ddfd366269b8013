/** @import { PageState, Snapshot } from '../src/messages.ts' */

/** Milliseconds without a message after which the page polls. */
const MAX_SILENCE = 4_000;
/** Milliseconds between polls; doubled after each failure. */
const MIN_DELAY = 2_000;
const MAX_DELAY = 15_000;

/**
 * Follows the server's samples: through a stream of events, or by polling if a proxy holds the stream back or the
 * server has too many. An aborted stream is followed by a poll, which learns the reason.
 */
export class Feed {
  #show;
  #fail;
  /** @type {EventSource | undefined} */
  #source;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;
  /** Whether a stream has opened but delivered nothing. */
  #isBuffered = false;
  #failures = 0;
  /** Time of the latest sample, by the server's clock. */
  #after = 0;
  /** Identifies the process of that sample. */
  #instance = '';
  /** Numbers the starts: what an earlier one has begun is ignored. */
  #run = 0;

  /**
   * @param {(state: Snapshot & Partial<PageState>, isStream: boolean) => void} show
   * @param {(status: number | undefined) => void} fail Called without a status if there is no answer.
   */
  constructor(show, fail) {
    this.#show = show;
    this.#fail = fail;
  }

  start() {
    this.stop();
    if (this.#isBuffered) this.#poll();
    else this.#stream();
  }

  stop() {
    this.#run += 1;
    this.#source?.close();
    clearTimeout(this.#timer);
  }

  /** The query that names the latest sample: the next process may be another one, with a clock of its own. */
  get #known() {
    return `after=${this.#after}&instance=${this.#instance}`;
  }

  #stream() {
    const source = new EventSource(`events?${this.#known}`);
    this.#source = source;
    let isSilent = true;
    const end = () => {
      this.stop();
      this.#poll();
    };
    const expire = () => {
      if (isSilent) this.#isBuffered = true;
      end();
    };
    this.#timer = setTimeout(expire, MAX_SILENCE);
    source.onmessage = ({ data }) => {
      isSilent = false;
      clearTimeout(this.#timer);
      this.#timer = setTimeout(expire, MAX_SILENCE);
      this.#receive(JSON.parse(data), true);
    };
    source.onerror = end;
  }

  async #poll() {
    const run = this.#run;
    const answer = await fetch(`state?${this.#known}`, {
      signal: AbortSignal.timeout(10_000),
    }).catch(() => undefined);
    const state = answer?.ok ? await answer.json().catch(() => undefined) : undefined;
    if (run !== this.#run) return;
    this.#failures = state === undefined ? this.#failures + 1 : 0;
    if (state === undefined) this.#fail(answer?.status);
    else this.#receive(state, false);
    const delay = Math.min(MIN_DELAY * 2 ** this.#failures, MAX_DELAY);
    // Without an answer, a stream would fail as well.
    const again = () => (this.#isBuffered || state === undefined ? this.#poll() : this.#stream());
    this.#timer = setTimeout(again, delay);
  }

  /** @param {Snapshot & Partial<PageState>} state @param {boolean} isStream */
  #receive(state, isStream) {
    this.#after = state.now;
    this.#instance = state.instance ?? this.#instance;
    this.#show(state, isStream);
  }
}
