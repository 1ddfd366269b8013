import { outsideRequest } from '@headgate/store-kit';
import type { MakeClient, Query } from './client.ts';
import { isDisconnect, late } from './failure.ts';
import { ReconnectingClient } from './reconnecting-client.ts';
import { limitTime } from './time-limit.ts';

export interface BackgroundConnectionOptions {
  readonly make: MakeClient;
  readonly timeout: number;
  /** The statement that configures the session; undefined while the session must not be configured yet. */
  settings(): Query | undefined;
  isNeeded(): boolean;
}

/** Maximum size of a notification in bytes. PostgreSQL accepts less than 8,000. */
const MAX_MESSAGE_BYTES = 7_800;

export interface BackgroundQueryOptions {
  /**
   * If there is no answer within this many milliseconds, the connection is replaced, even if an earlier query is the
   * cause.
   */
  readonly timeout?: number;
  /** Whether the caller no longer waits for the answer. The query is then not sent. */
  readonly isLate?: () => boolean;
}

interface BackgroundQuery {
  readonly query: () => Query;
  readonly isLate: () => boolean;
  done(rows: readonly unknown[][]): void;
  failed(error: unknown): void;
}

/**
 * The connection for background queries, whose answers no operation needs. It runs one statement at a time. A release
 * does not wait for the notification that follows it, and does not fail with it.
 */
export class BackgroundQueries {
  readonly reconnectingClient: ReconnectingClient;
  readonly #waiting: BackgroundQuery[] = [];
  #channels: string[] = [];
  #messages: string[] = [];
  #isBusy = false;

  constructor({ settings, ...options }: BackgroundConnectionOptions) {
    this.reconnectingClient = new ReconnectingClient({
      ...options,
      setUp: async (client) => {
        const query = settings();
        if (query !== undefined) await client.query(query);
      },
    });
  }

  query(
    query: Query,
    { timeout, isLate }: BackgroundQueryOptions = {},
  ): Promise<readonly unknown[][]> {
    const answer = this.#add(() => query, isLate);
    if (timeout === undefined) return answer;
    return answer.finally(limitTime(timeout, () => this.reconnectingClient.lose(late())));
  }

  /**
   * Sends these lines in as few messages as possible, each of which begins with `word`. Skips a single line that is too
   * long. Messages are an optimization: without them, waiters are granted when they send their requests again, and
   * permits in reserve are released by their own timers.
   */
  notify(channel: string, word: string, lines: readonly string[]): void {
    let message = word;
    const send = () => {
      this.#channels.push(channel);
      this.#messages.push(message);
      // One statement sends all messages added before it is sent.
      if (this.#channels.length === 1) this.#add(() => this.#notification()).catch(() => {});
    };
    for (const line of lines) {
      if (message !== word && message.length + line.length >= MAX_MESSAGE_BYTES) {
        send();
        message = word;
      }
      message += `\n${line}`;
    }
    if (message.length <= MAX_MESSAGE_BYTES) send();
  }

  #add(query: () => Query, isLate = () => false): Promise<readonly unknown[][]> {
    return new Promise((done, failed) => {
      this.#waiting.push({ query, isLate, done, failed });
      if (!this.#isBusy) void outsideRequest(() => this.#work());
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
      // Late queries are dropped: those that accumulated during an outage would delay the ones that are needed to end
      // it.
      if (next.isLate()) next.failed(late());
      else await this.#do(next.query()).then(next.done, next.failed);
    }
    this.#isBusy = false;
  }

  /** Retries once if the connection is lost: each query is safe to repeat. */
  #do(query: Query): Promise<readonly unknown[][]> {
    return this.reconnectingClient.query(query).catch((error: unknown) => {
      if (!isDisconnect(error)) throw error;
      return this.reconnectingClient.query(query);
    });
  }
}
