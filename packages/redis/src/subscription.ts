import {
  Backoff,
  type Grant,
  type LimitName,
  outsideRequest,
  StoreError,
  type StoreListener,
  SubscriptionProbe,
} from '@headgate/store-kit';
import type { Connection, Subscriber } from './connection.ts';
import { failure, late } from './failure.ts';
import { Script } from './script.ts';

/** Maximum pause between two attempts in milliseconds. */
const MAX_PAUSE = 1_000;
/** Minimum time in milliseconds for an attempt, so that it succeeds in the end on a slow network. */
const MIN_OPENING_TIME = 5_000;

/**
 * A script, because clients may add a prefix to the channel of a plain PUBLISH. It needs no privileges beyond those of
 * the other scripts.
 */
const publish = new Script(`return redis.call('PUBLISH', ARGV[1], 'probe')`);

export interface SubscriptionOptions {
  readonly connection: Connection;
  readonly channel: string;
  /** Maximum duration of a call in milliseconds. */
  readonly timeout: number;
  listener(): StoreListener | undefined;
}

/**
 * Receives grants, and recalls caused by other processes' operations. It has a connection of its own, and reconnects
 * when that is lost.
 */
export class Subscription {
  readonly #options: SubscriptionOptions;
  readonly #probe: SubscriptionProbe;
  #subscriber: Subscriber | undefined;
  #isOpening = false;
  /** Ends the present attempt. */
  #abort = new AbortController();
  #isClosed = false;
  /** When the first of the current series of failing attempts began. */
  #tryingSince: number | undefined;
  #mutedBy: StoreError | undefined;
  readonly #backoff = new Backoff();
  #timer: NodeJS.Timeout | undefined;

  constructor(options: SubscriptionOptions) {
    this.#options = options;
    const { connection, channel, timeout, listener } = options;
    this.#probe = new SubscriptionProbe({
      timeout,
      publish: () => publish.run(connection, channel, [channel]),
      isNeeded: () => listener()?.isWaiting === true,
      failed: () => this.#died(),
    });
  }

  /** Why messages do not arrive. Undefined if they arrive, or if it is not certain yet that they do not. */
  get mutedBy(): StoreError | undefined {
    return this.#mutedBy;
  }

  /**
   * Opens the subscription, unless it is open or opening, or the client is not connected. Never rejects. Repeats failed
   * attempts.
   */
  open(): void {
    const { isUp } = this.#options.connection;
    if (!isUp) this.#tryingSince = undefined;
    if (this.#subscriber || this.#isOpening || this.#isClosed || !isUp) return;
    clearTimeout(this.#timer);
    this.#tryingSince ??= performance.now();
    this.#isOpening = true;
    void outsideRequest(() => this.#subscribe());
  }

  close(): void {
    this.#isClosed = true;
    this.#drop();
  }

  /** Closes the connection if the user has closed the client. */
  closeIfClientClosed(): void {
    if (this.#options.connection.isClosed) this.#drop();
  }

  /** Called when a waiter is queued, whose grant will be announced by a message. */
  waiterQueued(): void {
    this.#probe.wanted();
  }

  async #subscribe(): Promise<void> {
    let isLost = false;
    const lost = () => {
      isLost = true;
      this.#lose();
    };
    const subscriber = await this.#attempt(lost).catch((error) => this.#failed(error));
    this.#isOpening = false;
    // The subscription may have been lost or closed meanwhile.
    if (subscriber === undefined || isLost || this.#isClosed) {
      subscriber?.close();
      return this.#lose();
    }
    this.#subscriber = subscriber;
    this.#backoff.reset();
    this.#tryingSince = undefined;
    this.#probe.up();
    this.#mute(undefined);
    this.#options.listener()?.check();
  }

  /**
   * Rejects with a StoreError if the attempt fails or takes too long, since a connection may die silently while it is
   * opened.
   */
  async #attempt(lost: () => void): Promise<Subscriber> {
    const { connection, channel, timeout } = this.#options;
    const abort = new AbortController();
    this.#abort = abort;
    const heard = (message: string) => this.#receive(message);
    const opening = connection.subscribe({ channel, heard, lost, signal: abort.signal });
    return new Promise((resolve, reject) => {
      abort.signal.addEventListener('abort', () => reject(late()));
      const giveUp = () => abort.abort();
      const timer = setTimeout(giveUp, Math.max(timeout, MIN_OPENING_TIME)).unref();
      const settled = opening.finally(() => clearTimeout(timer));
      settled.then(resolve, (error) => reject(failure(error)));
    });
  }

  /** Failures are reported only after `timeout`, since the first attempts may fail while the server restarts. */
  #failed({ code, message, cause }: StoreError): undefined {
    const { connection, timeout } = this.#options;
    const since = this.#tryingSince ?? Infinity;
    const isNew = performance.now() - since < timeout;
    if (isNew || this.#isClosed || !connection.isUp) return;
    const reason = `messages of Redis do not arrive, because the subscription fails: ${message}`;
    this.#mute(new StoreError(code, reason, cause));
  }

  /** Called when the connection looks open but messages do not arrive. */
  #died(): void {
    const message = 'messages of Redis do not arrive: the subscription reconnects';
    this.#lose();
    this.#mute(new StoreError('ERR_HEADGATE_STORE_TIMEOUT', message));
  }

  /** Informs the listener once of each change. */
  #mute(error: StoreError | undefined): void {
    const isKnown = (this.#mutedBy === undefined) === (error === undefined);
    if (isKnown) return;
    this.#mutedBy = error;
    this.#options.listener()?.muted?.(error);
  }

  #drop(): void {
    clearTimeout(this.#timer);
    this.#probe.down();
    this.#abort.abort();
    this.#subscriber?.close();
    this.#subscriber = undefined;
  }

  #lose(): void {
    if (this.#isOpening) return;
    this.#drop();
    if (this.#isClosed) return;
    this.#timer = setTimeout(() => this.open(), this.#backoff.next(MAX_PAUSE));
    this.#timer.unref();
  }

  #receive(message: string): void {
    this.#probe.heard();
    const [what, ...words] = message.split('\n');
    const listener = this.#options.listener();
    if (listener === undefined) return;
    if (what === 'grant') {
      for (const grant of grantsOf(words)) listener.grant(grant);
    } else if (what === 'recall' || what === 'operated') {
      const ref = refOf(words[0]);
      if (ref !== undefined) listener[what]?.(ref);
    }
  }
}

// Ignores malformed messages, since any client that may publish can send them.
function grantsOf(words: readonly string[]): Grant[] {
  const grants: Grant[] = [];
  for (let i = 0; i + 1 < words.length; i += 2) {
    const [id = '', token = ''] = words.slice(i, i + 2);
    if (/^\d+$/.test(token)) grants.push({ id, fencing: BigInt(token) });
  }
  return grants;
}

function refOf(word = ''): LimitName | undefined {
  try {
    const [name, key] = JSON.parse(word) as [string, string?];
    return { name, key };
  } catch {
    return undefined;
  }
}
