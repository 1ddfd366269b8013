import type { MakeClient, Query } from './client.ts';
import { isAway } from './failure.ts';
import { Link } from './link.ts';

/** Bytes: PostgreSQL takes less than 8,000. */
const longest = 7_800;

interface Errand {
  readonly query: () => Query;
  done(rows: readonly unknown[][]): void;
  failed(error: unknown): void;
}

/**
 * The connection for what no caller waits for: so a release takes no longer for its notification, and does not fail
 * with it. One statement after the other.
 */
export class Errands {
  readonly link: Link;
  readonly #waiting: Errand[] = [];
  #channels: string[] = [];
  #messages: string[] = [];
  #isBusy = false;

  /** `settings` is asked for each connection: what is to be set for its session, if anything may be. */
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

  query(query: Query): Promise<readonly unknown[][]> {
    return this.#add(() => query);
  }

  /**
   * In parts that are short enough, each whole lines after the first word. A lost one is made up for when who waits
   * asks.
   */
  notify(channel: string, word: string, lines: readonly string[]): void {
    let message = word;
    const send = () => {
      this.#channels.push(channel);
      this.#messages.push(message);
      // Those that come together go together.
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

  /** Again where the connection is lost under it: each is safe to repeat. */
  #do(query: Query): Promise<readonly unknown[][]> {
    return this.link.query(query).catch((error: unknown) => {
      if (!isAway(error)) throw error;
      return this.link.query(query);
    });
  }
}
