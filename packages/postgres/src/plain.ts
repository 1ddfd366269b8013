import pg from 'pg';
import type { PostgresClient, Query } from './client.ts';

type Rows = readonly unknown[][];

/** What a statement needs of a connection of `pg`, which its cursors and streams use as well. */
interface Connection {
  readonly parsedStatements: Readonly<Record<string, string | undefined>>;
  readonly stream: { cork?(): void; uncork?(): void };
  parse(statement: { name: string; text: string }): void;
  bind(values: { statement: string; values: readonly unknown[] }): void;
  execute(all: object): void;
  sync(): void;
}

/**
 * A prepared statement without the description of its columns, all of which are text. The query of `pg` asks for that
 * each time, which takes, with all else that it does, as long as the server takes for an UPDATE.
 */
class Plain {
  readonly name: string;
  readonly text: string;
  readonly #values: readonly unknown[];
  readonly #rows: unknown[][] = [];
  /** Not private: `pg` puts its own in its place, where it has a `query_timeout`. */
  callback: (error: unknown, rows?: Rows) => void;

  constructor({ name = '', text, values = [] }: Query, callback: Plain['callback']) {
    this.name = name;
    this.text = text;
    this.#values = values;
    this.callback = callback;
  }

  submit(connection: Connection): null {
    const { name, text } = this;
    const values = this.#values;
    // All of it in one packet.
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

/** Asks a client in the shortest way that there is for it. */
export function ask(client: PostgresClient, query: Query): Promise<Rows> {
  const { pipeline } = client as { pipeline?: boolean };
  // Other clients, and one that sends statements ahead of answers, know only their own queries.
  if (query.isPlain !== true || !(client instanceof pg.Client) || pipeline === true) {
    return client.query(query).then(({ rows }) => rows);
  }
  return new Promise((resolve, reject) => {
    const answered = (error: unknown, rows: Rows = []) => {
      if (error) reject(error);
      else resolve(rows);
    };
    client.query(new Plain(query, answered) as never);
  });
}
