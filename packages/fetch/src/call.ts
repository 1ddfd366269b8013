import type { Outcome, Permit } from '@headgate/core';
import { askedPause } from './asked-pause.ts';
import { type Fetch, type Init, type Input, isRequest, originOf } from './fetch.ts';
import { holdResponse } from './held-response.ts';
import type { Settings } from './options.ts';
import type { Origin } from './origin.ts';
import { outcomeOfError, outcomeOfStatus } from './outcome.ts';
import { MAX_TIMER, TimedSignal } from './timed-signal.ts';
import { canRepeat, delayAfter, sleep } from './tries.ts';

/** A try that has received a response. It holds its permit. */
interface Answered {
  readonly response: Response;
  readonly outcome: Outcome;
  readonly permit: Permit;
  readonly time: TimedSignal;
}

/** A try that has failed without a response. It holds no permit. */
interface Failed {
  readonly response?: undefined;
  readonly outcome: Outcome;
  readonly error: unknown;
}

type Tried = Answered | Failed;

/** One call of a limited `fetch`, with all its tries. */
export class Call {
  readonly #method: string;
  readonly #tries: number;
  readonly #time: TimedSignal;

  constructor(
    private readonly fetch: Fetch,
    private readonly settings: Settings,
    private readonly origin: Origin,
    private readonly input: Input,
    private readonly init: Init,
  ) {
    const request = isRequest(input) ? input : undefined;
    this.#method = (init?.method ?? request?.method ?? 'GET').toUpperCase();
    const body = init?.body ?? request?.body;
    this.#tries = canRepeat(this.#method, body) ? settings.tries : 1;
    const signal = init?.signal === undefined ? request?.signal : init.signal;
    this.#time = this.#timed(signal ?? undefined, 'timeout');
  }

  #timed(signal: AbortSignal | undefined, option: 'timeout' | 'tryTimeout'): TimedSignal {
    const { input, settings } = this;
    const { [option]: time, clock } = settings;
    // Not the URL: its path and its query may hold secrets.
    const message = () => `${originOf(input)}: ${option} of ${time} ms has passed`;
    return new TimedSignal(signal, time, clock, message);
  }

  /** @param ended Called once, when the response has ended or there is none. */
  async send(ended: () => void): Promise<Response> {
    let isOver = false;
    const end = () => {
      if (isOver) return;
      isOver = true;
      this.#time.end();
      ended();
    };
    try {
      for (let number = 1; ; number++) {
        const tried = await this.#try();
        let pause: number | undefined;
        try {
          pause = this.#pause(tried, number);
          if (pause === undefined) return this.#result(tried, end);
        } catch (error) {
          this.#discard(tried);
          throw error;
        }
        this.#discard(tried);
        await sleep(pause, this.#time.signal, this.settings.clock);
      }
    } catch (error) {
      end();
      throw error;
    }
  }

  async #try(): Promise<Tried> {
    // Called without `this`: the functions of Workers and browsers reject a foreign one.
    const { fetch, origin } = this;
    const permit = await origin.limiter.acquire({ signal: this.#time.signal });
    const time = this.#timed(this.#time.signal, 'tryTimeout');
    try {
      const response = await fetch(this.input, this.#initFor(time));
      time.stopTimer();
      const outcome = outcomeOfStatus(response.status);
      // Judged by the time until here: how long the body takes also depends on its reader.
      if (outcome === 'ok') permit.mark();
      origin.report(outcome, true);
      return { response, outcome, permit, time };
    } catch (error) {
      time.end();
      const outcome = outcomeOfError(error, time.signal);
      origin.report(outcome, false);
      permit.release(outcome);
      return { outcome, error };
    }
  }

  /** Passes on what the caller has passed: runtimes have options of their own, such as `dispatcher` and `cf`. */
  #initFor({ signal, due }: TimedSignal): Init {
    const { input, init } = this;
    const { deadlineHeader, clock } = this.settings;
    const end = Math.min(due, this.#time.due);
    if (deadlineHeader === undefined || end === Infinity)
      return signal === undefined || signal === init?.signal ? init : { ...init, signal };
    const headers = new Headers(init?.headers ?? (isRequest(input) ? input.headers : undefined));
    headers.set(deadlineHeader, `${Math.max(1, Math.floor(end - clock.now()))}`);
    return { ...init, headers, ...(signal && { signal }) };
  }

  /** Milliseconds until another try is due; undefined if none may follow. */
  #pause({ outcome, response }: Tried, number: number): number | undefined {
    const { clock, maxPause } = this.settings;
    const { signal, due } = this.#time;
    if (outcome !== 'dropped' || number >= this.#tries || signal?.aborted) return undefined;
    const asked = response === undefined ? 0 : askedPause(response.headers);
    const pause = asked + delayAfter(number, clock);
    if (asked > maxPause || pause > MAX_TIMER || clock.now() + pause >= due) return undefined;
    return this.origin.budget.take() ? pause : undefined;
  }

  /** @throws The error of a try without a response. */
  #result(tried: Tried, ended: () => void): Response {
    if (tried.response === undefined) throw tried.error;
    const { response, outcome, permit, time } = tried;
    return holdResponse(response, this.#method === 'HEAD', (error) => {
      const failed = error === undefined ? 'ignored' : outcomeOfError(error, time.signal);
      if (outcome !== 'dropped') this.origin.report(failed, false);
      time.end();
      permit.release(failed === 'dropped' ? 'dropped' : outcome);
      ended();
    });
  }

  /** Ends a response that the caller will not see, if there is one. */
  #discard(tried: Tried): void {
    if (tried.response === undefined) return;
    tried.time.end();
    tried.permit.release(tried.outcome);
    // Some implementations have bodies that are no web streams.
    const body: Partial<ReadableStream & { destroy(): void }> | null = tried.response.body;
    if (body?.cancel) body.cancel().catch(() => {});
    else body?.destroy?.();
  }
}
