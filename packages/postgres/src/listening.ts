import { type MakeClient, type PostgresClient, type Query, statement } from './client.ts';
import { refused } from './failure.ts';
import { Link } from './link.ts';
import { sessionSettings } from './session.ts';

export interface ListeningOptions {
  readonly make: MakeClient;
  readonly timeout: number;
  readonly owner: string;
  /** The schema, quoted. */
  readonly schema: string;
  /** A statement on another connection. */
  elsewhere(query: Query): Promise<unknown>;
  heard(message: string): void;
  /** It listens, under this number. */
  up(number: number): void;
  /** @param ago Milliseconds since what has failed was begun. */
  down(error: unknown, ago: number): void;
}

/** Milliseconds that are waited for a notification, at least. */
const greetingTime = 250;

const notHeard =
  'what another connection notifies does not arrive here: connect the store to the server itself, not through a pooler that ' +
  'lends its connections by transaction or statement (PgBouncer: pool_mode = session, or a direct connection string)';

export function channelOf(owner: string): string {
  return `headgate_${owner}`;
}

/**
 * The connection on which grants are heard, and whose end tells others of the end of the process. It does nothing else:
 * the server notices at once when an idle connection ends.
 */
export class Listening {
  readonly link: Link;
  readonly #options: ListeningOptions;
  /** Whether it has ever listened: if so, what is asked on another connection need not wait for it. */
  isProven = false;
  #number = 0;

  constructor(options: ListeningOptions) {
    this.#options = options;
    this.link = new Link({
      make: options.make,
      timeout: options.timeout,
      setUp: (client) => this.#setUp(client),
      up: () => options.up(this.#number),
      down: options.down,
    });
  }

  /** Resolves once it is known that notifications arrive here. */
  async proven(): Promise<void> {
    if (!this.isProven) await this.link.open();
  }

  async #setUp(client: PostgresClient): Promise<void> {
    const { owner, schema, heard, timeout } = this.#options;
    const channel = channelOf(owner);
    const greeting = `hello ${crypto.randomUUID()}`;
    let greeted = () => {};
    const greets = new Promise<void>((resolve) => {
      greeted = resolve;
    });
    client.on('notification', ({ payload }: { payload: string }) => {
      if (payload === greeting) greeted();
      else heard(payload);
    });
    await client.query(statement(`LISTEN ${channel}`));
    const notify = statement('SELECT pg_catalog.pg_notify($1, $2)', [channel, greeting]);
    await this.#options.elsewhere(notify);
    await this.#hears(client, greets, channel, Math.max(timeout / 2, greetingTime));
    // Only now: a session's settings and locks would stay behind in a pooler.
    await client.query(statement(sessionSettings(0)));
    if (!this.isProven) await this.#options.elsewhere(statement(sessionSettings(timeout)));
    const register = statement(`SELECT ${schema}.register($1)`, [owner]);
    const { rows } = await client.query(register);
    this.#number = Number(rows[0]?.[0]);
    this.isProven = true;
  }

  async #hears(
    client: PostgresClient,
    greets: Promise<void>,
    channel: string,
    time: number,
  ): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const silence = new Promise<string>((resolve) => {
      timer = setTimeout(() => resolve(notHeard), time).unref();
    });
    const problem = await Promise.race([greets, silence]);
    clearTimeout(timer);
    if (problem === undefined) return;
    await client.query(statement(`UNLISTEN ${channel}`));
    throw refused(problem);
  }
}
