import {
  Backoff,
  decode,
  type Grant,
  type LimitName,
  outsideRequest,
  StoreError,
  type StoreListener,
} from '@headgate/store-kit';
import { late, refused } from '../failure.ts';
import type { Stream, Streams } from '../stream.ts';

/** Maximum pause between two attempts in milliseconds. */
const MAX_PAUSE = 1_000;
/** Minimum time in milliseconds for an attempt, so that it succeeds in the end on a slow network. */
const MIN_OPENING_TIME = 5_000;
/** The shortest silence in milliseconds after which a stream counts as dead, and the longest one. */
const SILENCE = { min: 100, max: 60_000 };
/** The service writes a line at least at this fraction of that time. */
const BEAT_PART = 1 / 3;
/** Maximum length of a line in characters: a limit may have a long name and a long key. */
const MAX_LINE_LENGTH = 100_000;

/** A line of the service's stream. */
interface Message {
  readonly grant?: Grant;
  readonly recall?: LimitName;
  readonly operated?: LimitName;
  /** The first line of each stream. */
  readonly check?: true;
}

export interface MessagesOptions {
  readonly streams: Streams;
  /** Identifies the process at the service. */
  readonly owner: string;
  /** Maximum time of a call in milliseconds. A stream without a line for as long counts as dead. */
  readonly timeout: number;
  listener(): StoreListener | undefined;
}

/**
 * Receives the messages of the service on a connection of its own. It is opened again when it is lost, unless this
 * process uses no limit at the time.
 */
export class Messages {
  readonly #options: MessagesOptions;
  readonly #path: string;
  readonly #silence: number;
  #stream: Stream | undefined;
  /** The beginning of a line. */
  #rest = '';
  /** Ends a silent stream or attempt; without a stream, starts the next attempt. */
  #timer: NodeJS.Timeout | undefined;
  readonly #backoff = new Backoff();
  /** Since when no messages arrive, in milliseconds of `performance.now()`. Undefined while they do. */
  #lostSince: number | undefined;
  /** Why messages do not arrive, as far as the listener knows. */
  #mutedBy: StoreError | undefined;
  #isUp = true;
  #isClosed = false;

  constructor(options: MessagesOptions) {
    this.#options = options;
    this.#silence = Math.min(Math.max(options.timeout, SILENCE.min), SILENCE.max);
    const every = Math.ceil(this.#silence * BEAT_PART);
    this.#path = `/limits/messages?${new URLSearchParams({ owner: options.owner, every: `${every}` })}`;
  }

  /** Opens the stream, unless it is open, or the next attempt is due soon. */
  open(): void {
    if (this.#isClosed || this.#timer !== undefined) return;
    const { streams } = this.#options;
    this.#rest = '';
    this.#stream = outsideRequest(() =>
      streams.stream(this.#path, {
        text: (chunk) => this.#read(chunk),
        ended: (error) => this.#lost(error),
      }),
    );
    this.#expect(Math.max(this.#silence, MIN_OPENING_TIME));
  }

  close(): void {
    this.#isClosed = true;
    this.#drop();
  }

  /** While a waiter depends on messages, the stream keeps the process alive. */
  keepAlive(): void {
    this.#stream?.keepAlive(this.#options.listener()?.isWaiting === true);
  }

  #read(chunk: string): void {
    this.#expect(this.#silence);
    const lines = (this.#rest + chunk).split('\n');
    this.#rest = lines.pop() ?? '';
    const messages = lines.filter((line) => line !== '').map(messageOf);
    if (messages.includes(undefined) || this.#rest.length > MAX_LINE_LENGTH)
      return this.#lost(refused('the semaphore service sends no messages, but something else'));
    this.#arrive();
    for (const message of messages) if (message !== undefined) this.#receive(message);
    if (this.#options.listener()?.isActive === false) this.#drop();
    else this.keepAlive();
  }

  #receive({ grant, recall, operated, check }: Message): void {
    const listener = this.#options.listener();
    if (grant !== undefined) listener?.grant(grant);
    if (recall !== undefined) listener?.recall(recall);
    if (operated !== undefined) listener?.operated?.(operated);
    if (check !== undefined) listener?.check();
  }

  /** Another line must arrive within this many milliseconds. */
  #expect(delay: number): void {
    clearTimeout(this.#timer);
    const lose = () => {
      this.#stream?.close(true);
      this.#lost(late());
    };
    this.#timer = outsideRequest(setTimeout, lose, delay).unref();
  }

  /** @param error Why there was no stream, or no further line; undefined if the stream has ended. */
  #lost(error: StoreError | undefined): void {
    this.#drop();
    if (this.#isClosed) return;
    this.#lostSince ??= performance.now();
    // An attempt may fail because the connection was cut at that moment, or because the service restarts.
    const isNew = performance.now() - this.#lostSince < this.#options.timeout;
    if (error !== undefined && !isNew) this.#failed(error);
    if (this.#options.listener()?.isActive === false) return;
    const retry = () => {
      this.#timer = undefined;
      this.open();
    };
    this.#timer = outsideRequest(setTimeout, retry, this.#backoff.next(MAX_PAUSE)).unref();
  }

  #drop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#stream?.close();
    this.#stream = undefined;
  }

  /** Messages arrive. Reports it if they did not. */
  #arrive(): void {
    const listener = this.#options.listener();
    if (!this.#isUp) listener?.state(true);
    if (this.#mutedBy !== undefined) listener?.muted?.(undefined);
    this.#isUp = true;
    this.#mutedBy = undefined;
    this.#backoff.reset();
    this.#lostSince = undefined;
  }

  /** Reports that the service cannot be reached, or that it can, but that its messages do not arrive. */
  #failed(error: StoreError): void {
    const listener = this.#options.listener();
    if (error.code === 'ERR_HEADGATE_STORE_DOWN') {
      if (this.#isUp) listener?.state(false, error);
      this.#isUp = false;
    } else if (this.#mutedBy === undefined) {
      const message = `messages of the semaphore service do not arrive: ${error.message}`;
      this.#mutedBy = new StoreError(error.code, message, error.cause);
      listener?.muted?.(this.#mutedBy);
    }
  }
}

/** Undefined for a line of another server, such as a page of a proxy. */
function messageOf(line: string): Message | undefined {
  try {
    const message = decode(line);
    return typeof message === 'object' && message !== null ? message : undefined;
  } catch {
    return undefined;
  }
}
