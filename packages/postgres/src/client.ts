import { invalid } from '@headgate/core/shared';
import pg from 'pg';
import { refused } from './failure.ts';

/** What the store needs of a client of `pg`. */
export interface PostgresClient {
  connect(): Promise<unknown>;
  query(query: Query): Promise<{ readonly rows: readonly unknown[][] }>;
  on(event: 'error' | 'end' | 'notification', listener: (value: never) => void): unknown;
  end(): Promise<void>;
  ref?(): void;
  unref?(): void;
}

export interface Query {
  /** Of a statement that is prepared once for each connection. */
  readonly name?: string;
  readonly text: string;
  readonly values?: readonly unknown[];
  readonly rowMode: 'array';
  /** Prepared, with strings and null for values: `ask` has a short way for that. */
  readonly isPlain?: true;
}

/**
 * How to connect: a connection string or a config as `pg` takes them, or a function that makes a client which has not
 * been connected yet.
 */
export type Connect = string | object | (() => PostgresClient | Promise<PostgresClient>);

export type MakeClient = () => PostgresClient | Promise<PostgresClient>;

/**
 * Milliseconds that an attempt to connect may take at least. A caller may give up sooner; the attempt goes on, so that
 * it succeeds at some time where the network or the handshake is slow.
 */
export const connectTime = 5_000;

const expected =
  'a connection string (postgres://…), a config of pg, or a function that makes a pg.Client';

/** How an address begins. Of any other string `pg` would make a host called `base`, and a database of that name. */
const address = /^(postgres(ql)?|socket):|^\//i;

/** @throws HeadgateError where it is none of these. */
export function clientMaker(connect: Connect): MakeClient {
  if (typeof connect === 'function') return () => made(connect as MakeClient);
  const isConfig = typeof connect === 'object' && connect !== null && !('connect' in connect);
  if (!isConfig && (typeof connect !== 'string' || !address.test(connect))) {
    // A misspelt address may have a password in it.
    const shown = typeof connect === 'string' && connect !== '' ? '(not shown)' : connect;
    throw invalid('connect', expected, shown);
  }
  const given = typeof connect === 'string' ? { connectionString: connect } : connect;
  const config = { fallback_application_name: 'headgate', keepAlive: true, ...given };
  // How the app wants its own results to be read is not meant for these.
  const own = { connectionTimeoutMillis: connectTime, types: undefined, binary: false };
  return () => new pg.Client({ ...config, ...own }) as PostgresClient;
}

/** @throws StoreError where it is no client. A pool looks like one, but its connections are not the store's to end. */
async function made(
  connect: () => PostgresClient | Promise<PostgresClient>,
): Promise<PostgresClient> {
  const client = await connect();
  const isClient = typeof client?.connect === 'function' && typeof client.query === 'function';
  if (isClient && !('totalCount' in client)) return client;
  throw refused('connect must make a pg.Client, and has made something else');
}

/** Ends a connection at once, whatever it does. */
export function destroy(client: PostgresClient): void {
  // A graceful end alone would wait for a server that may be frozen, and keep the process alive.
  const { connection } = client as { connection?: { stream?: { destroy?(): void } } };
  client.end().catch(() => {});
  connection?.stream?.destroy?.();
}

/** A statement that is not prepared. */
export function statement(text: string, values: readonly unknown[] = []): Query {
  return { text, values, rowMode: 'array' };
}
