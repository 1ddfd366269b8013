import type { Grant, LimitName, StoreListener } from '@headgate/core/shared';
import type { Connection, Subscriber } from './connection.ts';

/** Milliseconds until the next attempt, which are doubled after each that fails. */
const firstPause = 25;
const longestPause = 1_000;

/** Hears what other processes' operations mean for this one, on a connection of its own, opened anew where lost. */
export class Subscription {
  readonly #connection: Connection;
  readonly #channel: string;
  readonly #listener: () => StoreListener | undefined;
  #subscriber: Subscriber | undefined;
  #isOpening = false;
  #isClosed = false;
  #pause = firstPause;
  #timer: NodeJS.Timeout | undefined;

  constructor(connection: Connection, channel: string, listener: () => StoreListener | undefined) {
    this.#connection = connection;
    this.#channel = channel;
    this.#listener = listener;
  }

  /** Does nothing where it is open or about to be, or the client has no connection. Never fails; is tried again. */
  open(): void {
    if (this.#subscriber || this.#isOpening || this.#isClosed || !this.#connection.isUp) return;
    clearTimeout(this.#timer);
    this.#isOpening = true;
    void this.#subscribe();
  }

  close(): void {
    this.#isClosed = true;
    this.#drop();
  }

  /** The user has closed the client. */
  pauseWhereClosed(): void {
    if (this.#connection.isClosed) this.#drop();
  }

  async #subscribe(): Promise<void> {
    let isLost = false;
    const lost = () => {
      isLost = true;
      this.#lose();
    };
    const heard = (message: string) => this.#hear(message);
    const opening = this.#connection.subscribe(this.#channel, heard, lost);
    const subscriber = await opening.catch(() => undefined);
    this.#isOpening = false;
    // It may also have been lost or closed in this moment.
    if (subscriber === undefined || isLost || this.#isClosed) {
      subscriber?.close();
      return this.#lose();
    }
    this.#subscriber = subscriber;
    this.#pause = firstPause;
    this.#listener()?.check();
  }

  #drop(): void {
    clearTimeout(this.#timer);
    this.#subscriber?.close();
    this.#subscriber = undefined;
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
      for (const grant of grantsOf(words)) listener.grant(grant);
    } else if (what === 'recall') {
      const ref = refOf(words[0]);
      if (ref !== undefined) listener.recall(ref);
    }
  }
}

// Anybody who may publish can have sent anything: what makes no sense is not heard.
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
