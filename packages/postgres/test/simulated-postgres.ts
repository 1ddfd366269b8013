import type { Store } from '@headgate/store-kit';
import type { InterleavingOptions, InterleavingServer, SuiteTimes } from '@headgate/test-suite';
import pg from 'pg';
import { addressOf } from '../src/address.ts';
import type { PostgresClient, Query } from '../src/client.ts';
import { migration } from '../src/migration.ts';
import { PostgresStore } from '../src/postgres-store.ts';
import { statistics, statsOf } from '../src/stats.sql.ts';

const schema = 'headgate';
const clock = `CREATE SCHEMA IF NOT EXISTS virtual;
CREATE OR REPLACE FUNCTION virtual.now() RETURNS timestamptz LANGUAGE sql VOLATILE AS $$
  SELECT pg_catalog.to_timestamp(pg_catalog.current_setting('virtual.now')::numeric / 1000000)
$$;`;

/** The store's statements, with the test's clock. */
function timed(text: string): string {
  return text.replace(/pg_catalog\.(clock|statement)_timestamp\(\)/g, 'virtual.now()');
}

/**
 * A real PostgreSQL with the test's clock and connections of the simulated network. Notifications are sent by this
 * class, so that the network chooses when they arrive.
 */
export class SimulatedPostgres implements InterleavingServer {
  readonly #sessions = new Set<pg.Client>();
  readonly #channels = new Map<string, SimulatedClient>();
  readonly #pending = new Set<Promise<unknown>>();
  readonly #began = Date.now() * 1_000 - performance.now() * 1_000;

  private constructor(
    private readonly admin: pg.Client,
    private readonly url: string,
    readonly options: InterleavingOptions,
  ) {}

  static async start(admin: pg.Client, url: string, options: InterleavingOptions) {
    const server = new SimulatedPostgres(admin, url, options);
    await admin.query(`TRUNCATE ${schema}.limits, ${schema}.leases, ${schema}.members`);
    return server;
  }

  static async migrate(admin: pg.Client): Promise<void> {
    await admin.query(clock);
    await admin.query(timed(migration(schema)));
  }

  connect(times: SuiteTimes): Store {
    return new PostgresStore({
      ...times,
      make: () => new SimulatedClient(this),
      schema,
      idleTimeout: Infinity,
    });
  }

  async count() {
    const { hash } = addressOf({ name: this.options.name });
    const text = statistics(`"${schema}"`);
    const { rows } = await this.run(this.admin, { text, values: [hash], rowMode: 'array' });
    return statsOf(rows);
  }

  async close(): Promise<void> {
    await this.settled();
    await Promise.all([...this.#sessions].map((session) => this.end(session)));
  }

  /** A statement that has reached the server is executed, even if the connection is reset. */
  async settled(): Promise<void> {
    while (this.#pending.size > 0) await Promise.all(this.#pending);
  }

  async open(): Promise<pg.Client> {
    const session = new pg.Client(this.url);
    session.on('error', () => {});
    this.#sessions.add(session);
    await this.track(session.connect());
    return session;
  }

  async end(session: pg.Client): Promise<void> {
    if (this.#sessions.delete(session)) await this.track(session.end());
  }

  track<T>(work: Promise<T>): Promise<T> {
    const settled = work.then(
      () => {},
      () => {},
    );
    this.#pending.add(settled);
    settled.then(() => this.#pending.delete(settled));
    return work;
  }

  listen(channel: string, client: SimulatedClient): void {
    this.#channels.set(channel, client);
  }

  notify(channels: readonly string[], messages: readonly string[]): void {
    for (const [at, channel] of channels.entries()) {
      const [to, payload = ''] = [this.#channels.get(channel), messages[at]];
      if (to === undefined || to.hasEnded) continue;
      const name = `notification: ${payload.split(/\s/)[0]}`;
      const deliver = () => to.emit('notification', { channel, payload });
      this.options.network.notify(to.connection, name, deliver, () => to.lose());
    }
  }

  run(session: pg.Client, query: Query): Promise<{ rows: unknown[][] }> {
    const now = Math.floor(this.#began + performance.now() * 1_000);
    const work = session
      .query(`SET virtual.now = '${now}'`)
      .then(() => session.query({ ...query, text: timed(query.text) } as pg.QueryArrayConfig));
    return this.track(work) as Promise<{ rows: unknown[][] }>;
  }
}

type Listener = (value: never) => void;

/** A connection from the store's perspective. */
class SimulatedClient implements PostgresClient {
  readonly connection = Symbol('connection');
  readonly #listeners: [string, Listener][] = [];
  #session: pg.Client | undefined;
  hasEnded = false;

  constructor(private readonly server: SimulatedPostgres) {}

  on(event: string, listener: Listener): this {
    this.#listeners.push([event, listener]);
    return this;
  }

  emit(event: string, value: unknown): void {
    for (const [of, listener] of this.#listeners) if (of === event) listener(value as never);
  }

  connect(): Promise<unknown> {
    return this.#send('connect', async () => {
      this.#session = await this.server.open();
    });
  }

  query(query: Query): Promise<{ readonly rows: unknown[][] }> {
    const { name, text } = query;
    // Liveness checks are frequent and change nothing here, so they use up no steps of the network.
    if (name === 'headgate watch') return this.#do(query);
    const verbs = JSON.stringify(query.values ?? '').match(
      /acquire|stay|renew|register|release|resize/g,
    );
    return this.#send(`${name ?? text.slice(0, 30)} ${verbs ?? ''}`, () => this.#do(query));
  }

  async end(): Promise<void> {
    if (this.hasEnded) return;
    this.hasEnded = true;
    if (this.#session !== undefined) await this.server.end(this.#session);
  }

  /** The connection was reset, and both ends know it. */
  lose(): void {
    if (this.hasEnded) return;
    void this.end();
    this.emit('error', new Error('the connection was reset'));
  }

  async #do(query: Query): Promise<{ readonly rows: unknown[][] }> {
    const { name, text } = query;
    const values = (query.values ?? []) as string[];
    const [, verb, channel = ''] = /^(LISTEN|UNLISTEN) (\S+)/.exec(text) ?? [];
    if (verb === 'LISTEN') this.server.listen(channel, this);
    else if (name === 'headgate notify') {
      this.server.notify(...(query.values as unknown as [string[], string[]]));
    } else if (text.startsWith('SELECT pg_catalog.pg_notify')) {
      this.server.notify([values[0] as string], [values[1] as string]);
    } else if (this.#session !== undefined) return this.server.run(this.#session, query);
    return { rows: [] };
  }

  #send<T>(name: string, apply: () => Promise<T>): Promise<T> {
    const lost = () => {
      this.lose();
      return new Error('the connection was reset');
    };
    return this.server.options.network.send({ connection: this.connection, name, apply }, lost);
  }
}
