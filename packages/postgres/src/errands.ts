import type { MakeClient, Query } from './client.ts';
import { isAway, late } from './failure.ts';
import { Link } from './link.ts';

/** Bytes of a notification at most: PostgreSQL takes less than 8,000. */
const longest = 7_800;

interface Errand {
  readonly query: () => Query;
  done(rows: readonly unknown[][]): void;
  failed(error: unknown): void;
}

/**
 * The connection for what no operation waits for, one statement after the other. A release takes no longer for the
 * notification that follows it, and does not fail where that does.
 */
export class Errands {
  readonly link: Link;
  readonly #waiting: Errand[] = [];
  #channels: string[] = [];
  #messages: string[] = [];
  #isBusy = false;

  /** @param settings What is to be set for a connection's session; undefined where nothing may be set yet. */
  constructor(make: MakeClient, timeout: number, settings: () => Query | undefined) {
    this.link = new Link({
      make,
      timeout,
      setUp: async (client) => {
        const query = settings();
        if (query !== undefined) await client.query(query);
      },
    });
  }

  /** @param patience Milliseconds until the connection is replaced if there is no answer, whatever it is busy with. */
  query(query: Query, patience?: number): Promise<readonly unknown[][]> {
    const answer = this.#add(() => query);
    if (patience === undefined) return answer;
    const timer = setTimeout(() => this.link.lose(late()), patience).unref();
    return answer.finally(() => clearTimeout(timer));
  }

  /**
   * Sends these lines, in as many messages as they need; each begins with the word. A single line that is too long is
   * left out. All goes on without messages, only later: who waits asks from time to time, and what is kept in reserve
   * is given back by itself.
   */
  notify(channel: string, word: string, lines: readonly string[]): void {
    let message = word;
    const send = () => {
      this.#channels.push(channel);
      this.#messages.push(message);
      // One statement takes all that have come when it is sent.
      if (this.#channels.length === 1) this.#add(() => this.#notification()).catch(() => {});
    };
    for (const line of lines) {
      if (message !== word && message.length + line.length >= longest) {
        send();
        message = word;
      }
      message += `\n${line}`;
    }
    if (message.length <= longest) send();
  }

  #add(query: () => Query): Promise<readonly unknown[][]> {
    return new Promise((done, failed) => {
      this.#waiting.push({ query, done, failed });
      if (!this.#isBusy) void this.#work();
    });
  }

  #notification(): Query {
    const values = [this.#channels, this.#messages];
    this.#channels = [];
    this.#messages = [];
    const text =
      'SELECT pg_catalog.pg_notify(t.channel, t.message) FROM ROWS FROM (pg_catalog.unnest($1::text[]), ' +
      'pg_catalog.unnest($2::text[])) AS t(channel, message)';
    return { name: 'headgate notify', text, values, rowMode: 'array' };
  }

  async #work(): Promise<void> {
    this.#isBusy = true;
    for (let next = this.#waiting.shift(); next; next = this.#waiting.shift()) {
      await this.#do(next.query()).then(next.done, next.failed);
    }
    this.#isBusy = false;
  }

  /** Tries once more where the connection is lost meanwhile: each is safe to repeat. */
  #do(query: Query): Promise<readonly unknown[][]> {
    return this.link.query(query).catch((error: unknown) => {
      if (!isAway(error)) throw error;
      return this.link.query(query);
    });
  }
}
