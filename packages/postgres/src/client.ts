import { invalid } from '@headgate/core/options';
import pg from 'pg';
import { notMade, refused } from './failure.ts';
import { limitTime } from './time-limit.ts';

/** The members of a `pg` client that the store uses. */
export interface PostgresClient {
  connect(): Promise<unknown>;
  query(query: Query): Promise<{ readonly rows: readonly unknown[][] }>;
  on(event: 'error' | 'end' | 'notification', listener: (value: never) => void): unknown;
  end(): Promise<void>;
  ref?(): void;
  unref?(): void;
}

export interface Query {
  /** The name of a statement that is prepared once per connection. */
  readonly name?: string;
  readonly text: string;
  readonly values?: readonly unknown[];
  readonly rowMode: 'array';
  /**
   * Whether the query is prepared, and all its values are strings or null. `sendQuery` can send such a query faster.
   */
  readonly isPlain?: true;
}

/**
 * How to connect: a connection string or a config for `pg`, or a function that returns a client that is not yet
 * connected.
 */
export type Connect = string | object | (() => PostgresClient | Promise<PostgresClient>);

export type MakeClient = () => PostgresClient | Promise<PostgresClient>;

/**
 * Minimum time in milliseconds for a connection attempt. Even if a caller times out sooner, the attempt continues, so
 * that it succeeds in the end on a slow network or with a slow handshake.
 */
const MIN_CONNECT_TIMEOUT = 5_000;

/** Maximum time in milliseconds for connecting and preparing a connection whose statements have this `timeout`. */
export function connectTimeout(timeout: number): number {
  return Math.max(timeout, MIN_CONNECT_TIMEOUT);
}

const expected =
  'a connection string (postgres://…), a config of pg, or a function that makes a pg.Client';

/**
 * The beginnings of a valid address. `pg` interprets any other string as the name of a database on a host called
 * `base`.
 */
const address = /^(postgres(ql)?|socket):|^\//i;

/** @throws HeadgateError for anything else. */
export function clientMaker(connect: Connect): MakeClient {
  if (typeof connect === 'function') {
    const earlier = new WeakSet<PostgresClient>();
    return () => made(connect as MakeClient, earlier);
  }
  const isConfig = typeof connect === 'object' && connect !== null && !('connect' in connect);
  if (!isConfig && (typeof connect !== 'string' || !address.test(connect))) {
    // The address is not shown, since a misspelt one may contain a password.
    const shown = typeof connect === 'string' && connect !== '' ? '(not shown)' : connect;
    throw invalid('connect', expected, shown);
  }
  const given = typeof connect === 'string' ? { connectionString: connect } : connect;
  const config = { fallback_application_name: 'headgate', keepAlive: true, ...given };
  // The app's settings for parsing results do not apply to the store's queries.
  const own = { connectionTimeoutMillis: MIN_CONNECT_TIMEOUT, types: undefined, binary: false };
  return () => new pg.Client({ ...config, ...own }) as PostgresClient;
}

/**
 * @throws StoreError if the value is not a client, or is one of the `earlier` clients: a `pg.Client` connects only
 * once. A pool looks like a client, but is refused, since the store must not end the pool's connections.
 */
async function made(
  connect: () => PostgresClient | Promise<PostgresClient>,
  earlier: WeakSet<PostgresClient>,
): Promise<PostgresClient> {
  const client = await connect();
  const isClient = typeof client?.connect === 'function' && typeof client.query === 'function';
  if (!isClient || 'totalCount' in client) {
    throw refused('connect must return a pg.Client, and returned something else');
  }
  if (earlier.has(client)) {
    throw refused('connect must return a new pg.Client each time, and returned an earlier one');
  }
  earlier.add(client);
  return client;
}

/**
 * Makes a client within this many milliseconds, since the app's function may wait for a server that does not respond.
 */
export function makeInTime(make: MakeClient, time: number): Promise<PostgresClient> {
  return new Promise((resolve, reject) => {
    let isLate = false;
    const cancel = limitTime(time, () => {
      isLate = true;
      reject(notMade(time));
    });
    const made = (client: PostgresClient) => (isLate ? destroy(client) : resolve(client));
    new Promise<PostgresClient>((start) => start(make())).finally(cancel).then(made, reject);
  });
}

/** Closes a connection immediately, even if a statement is running. */
export function destroy(client: PostgresClient): void {
  // A graceful end alone would wait for a server that may be frozen, and would keep the process alive.
  const { connection } = client as { connection?: { stream?: { destroy?(): void } } };
  client.end().catch(() => {});
  connection?.stream?.destroy?.();
}

/** A statement that is not prepared. */
export function statement(text: string, values: readonly unknown[] = []): Query {
  return { text, values, rowMode: 'array' };
}
