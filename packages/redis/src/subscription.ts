import type { StoreListener } from '@headgate/core/shared';
import type { Connection, Ear } from './connection.ts';

/** Milliseconds between attempts; each is twice as long after the last as that. */
const firstPause = 25;
const longestPause = 1_000;

/** Hears what other processes' operations mean for this one, on one connection of its own. */
export class Subscription {
  readonly #connection: Connection;
  readonly #channel: string;
  readonly #listener: () => StoreListener | undefined;
  #ear: Ear | undefined;
  #isOpening = false;
  #isClosed = false;
  #pause = firstPause;
  #timer: NodeJS.Timeout | undefined;

  constructor(connection: Connection, channel: string, listener: () => StoreListener | undefined) {
    this.#connection = connection;
    this.#channel = channel;
    this.#listener = listener;
  }

  /** Does nothing where it is open, or about to be, or the client has no connection either. Never fails: it is tried again. */
  open(): void {
    if (this.#ear || this.#isOpening || this.#isClosed || !this.#connection.isUp) return;
    clearTimeout(this.#timer);
    this.#isOpening = true;
    const heard = (message: string) => this.#hear(message);
    let isLost = false;
    const lost = () => {
      isLost = true;
      this.#lose();
    };
    this.#connection.subscribe(this.#channel, heard, lost).then(
      (ear) => {
        this.#isOpening = false;
        // Also where it was lost or closed in this moment.
        if (isLost || this.#isClosed) ear.close();
        if (this.#isClosed) return;
        if (isLost) return this.#lose();
        this.#ear = ear;
        this.#pause = firstPause;
        this.#listener()?.check();
      },
      () => {
        this.#isOpening = false;
        this.#lose();
      },
    );
  }

  close(): void {
    this.#isClosed = true;
    this.#drop();
  }

  /** The user has closed the client. */
  pauseWhereClosed(): void {
    if (this.#connection.isClosed) this.#drop();
  }

  #drop(): void {
    clearTimeout(this.#timer);
    this.#ear?.close();
    this.#ear = undefined;
  }

  #lose(): void {
    if (this.#isOpening) return;
    this.#drop();
    if (this.#isClosed) return;
    this.#timer = setTimeout(() => this.open(), this.#pause);
    this.#timer.unref();
    this.#pause = Math.min(2 * this.#pause, longestPause);
  }

  #hear(message: string): void {
    const [what, ...words] = message.split('\n');
    const listener = this.#listener();
    if (listener === undefined) return;
    if (what === 'grant') {
      for (let i = 0; i + 1 < words.length; i += 2) {
        listener.grant({ id: words[i] as string, fencing: BigInt(words[i + 1] as string) });
      }
    } else if (what === 'recall') {
      const [name, key] = JSON.parse(words[0] as string) as [string, string?];
      listener.recall({ name, key });
    }
  }
}
