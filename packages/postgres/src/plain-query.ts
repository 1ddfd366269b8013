import pg from 'pg';
import type { PostgresClient, Query } from './client.ts';

type Rows = readonly unknown[][];

/** The members of a `pg` connection that a query uses, as `pg`'s cursors and streams do. */
interface Connection {
  readonly parsedStatements: Readonly<Record<string, string | undefined>>;
  readonly stream: { cork?(): void; uncork?(): void };
  parse(statement: { name: string; text: string }): void;
  bind(values: { statement: string; values: readonly unknown[] }): void;
  execute(all: object): void;
  sync(): void;
}

/**
 * A prepared statement that does not request the description of its columns, which are all text. `pg`'s own query
 * requests it every time. That request, together with `pg`'s other overhead, takes as long as an UPDATE on the server.
 */
class PlainQuery {
  readonly name: string;
  readonly text: string;
  readonly #values: readonly unknown[];
  readonly #rows: unknown[][] = [];
  /** Not private, since `pg` replaces it if there is a `query_timeout`. */
  callback: (error: unknown, rows?: Rows) => void;

  constructor({ name = '', text, values = [] }: Query, callback: PlainQuery['callback']) {
    this.name = name;
    this.text = text;
    this.#values = values;
    this.callback = callback;
  }

  submit(connection: Connection): null {
    const { name, text } = this;
    const values = this.#values;
    // Sends all messages in one packet.
    connection.stream.cork?.();
    if (connection.parsedStatements[name] === undefined) connection.parse({ name, text });
    connection.bind({ statement: name, values });
    connection.execute({});
    connection.sync();
    connection.stream.uncork?.();
    return null;
  }

  handleDataRow({ fields }: { readonly fields: unknown[] }): void {
    this.#rows.push(fields);
  }

  handleCommandComplete(): void {}

  handleError(error: unknown): void {
    this.callback(error);
  }

  handleReadyForQuery(): void {
    this.callback(null, this.#rows);
  }
}

/** Sends a query in the fastest way that this client supports. Calls back later, never immediately. */
export function sendQuery(
  client: PostgresClient,
  query: Query,
  resolve: (rows: Rows) => void,
  reject: (error: unknown) => void,
): void {
  const { pipeline } = client as { pipeline?: boolean };
  // Other clients, and clients in pipeline mode, support only their own query objects.
  if (query.isPlain !== true || !(client instanceof pg.Client) || pipeline === true) {
    client.query(query).then(({ rows }) => resolve(rows), reject);
    return;
  }
  const answered = (error: unknown, rows: Rows = []) => {
    if (error) reject(error);
    else resolve(rows);
  };
  client.query(new PlainQuery(query, answered) as never);
}
