import type { Answer, Op } from '@headgate/core/distributed';
import { type Call, callsOf, decode, type News, type Sender, whole } from './calls.ts';
import { type MakeClient, type Query, statement } from './client.ts';
import { failure, isDisconnect, isTransactionRollback } from './failure.ts';
import { FastPath } from './fast-path.ts';
import { ReconnectingClient } from './reconnecting-client.ts';
import { sessionSettings } from './session.ts';

/** Maximum number of operations per transaction, which keeps its limits locked. */
const MAX_OPERATIONS = 500;
/** Maximum number of attempts for a statement that the server rolls back because of a conflict. */
const MAX_ATTEMPTS = 5;

interface Task {
  readonly op: Op;
  readonly isLate: () => boolean;
  readonly answer: (answer: Answer) => void;
  /** Whether it was already sent, on a connection that was lost. */
  wasSent: boolean;
}

export interface OperationConnectionOptions {
  readonly make: MakeClient;
  readonly timeout: number;
  readonly schema: string;
  readonly sender: Sender;
  /** Resolves when the connection may be set up. */
  ready(): Promise<void>;
  news(news: News, call: Call): void;
  up(): void;
  down(error: unknown): void;
}

/**
 * The connection for operations. Each statement contains all operations that arrived since the previous one was sent.
 */
export class OperationConnection {
  readonly reconnectingClient: ReconnectingClient;
  readonly #options: OperationConnectionOptions;
  readonly #fastPath: FastPath;
  #tasks: Task[] = [];
  #isBusy = false;

  constructor(options: OperationConnectionOptions) {
    this.#options = options;
    const { make, timeout, up, down, schema, sender } = options;
    this.#fastPath = new FastPath(schema, sender, (query) => this.#run(query));
    this.reconnectingClient = new ReconnectingClient({
      make,
      timeout,
      up,
      down,
      setUp: async (client) => {
        await options.ready();
        await client.query(statement(sessionSettings(timeout)));
      },
    });
  }

  /** Resolves when every operation has its answer. */
  do(ops: readonly Op[], answers: (Answer | undefined)[], isLate: () => boolean): Promise<void> {
    if (ops.length === 0) return Promise.resolve();
    return new Promise((resolve) => {
      let left = ops.length;
      for (const [index, op] of ops.entries()) {
        const answer = (one: Answer) => {
          answers[index] = one;
          if (--left === 0) resolve();
        };
        this.#tasks.push({ op, isLate, answer, wasSent: false });
      }
      if (!this.#isBusy) void this.#drain();
    });
  }

  async #drain(): Promise<void> {
    this.#isBusy = true;
    while (this.#tasks.length > 0) {
      try {
        if (!this.reconnectingClient.isUp) await this.reconnectingClient.open();
      } catch (cause) {
        this.#fail(this.#tasks.splice(0), cause);
        continue;
      }
      // These callers have already received an error, so their operations must not be executed.
      this.#tasks = this.#tasks.filter(({ isLate }) => !isLate());
      const next = this.#tasks.splice(0, MAX_OPERATIONS);
      if (next.length > 0) await this.#send(next);
    }
    this.#isBusy = false;
  }

  #fail(tasks: readonly Task[], cause: unknown): void {
    const error = failure(cause);
    for (const { answer } of tasks) answer({ error });
  }

  async #send(tasks: readonly Task[]): Promise<void> {
    const { sender, news } = this.#options;
    const ops = tasks.map(({ op }) => op);
    const calls = callsOf(ops, sender);
    try {
      const answers: (Answer | undefined)[] = new Array(tasks.length);
      if (ops.length === 1) answers[0] = await this.#fastPath.do(calls[0] as Call, ops[0] as Op);
      const heard = answers[0] ? [] : await this.#doTogether(calls, ops, answers);
      for (const [i, { answer }] of tasks.entries()) answer(answers[i] as Answer);
      for (const [i, one] of heard.entries()) news(one, calls[i] as Call);
    } catch (cause) {
      this.#retry(tasks, cause);
    }
  }

  async #doTogether(
    calls: Call[],
    ops: readonly Op[],
    answers: (Answer | undefined)[],
  ): Promise<News[]> {
    // Every transaction locks limits in this order, which prevents deadlocks.
    calls.sort((one, other) => (one.address.hash < other.address.hash ? -1 : 1));
    this.#fastPath.recordSent(ops);
    const rows = await this.#run(
      calls.length === 1 ? this.#one(calls[0] as Call) : this.#several(calls),
    );
    return calls.map((call, i) => {
      const news = decode(String(rows[i]?.[0]), call, this.#options.sender, answers);
      this.#fastPath.recordAnswered(call, ops, answers);
      return news;
    });
  }

  async #run(query: Query): Promise<readonly unknown[][]> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.reconnectingClient.query(query);
      } catch (error) {
        if (!isTransactionRollback(error) || attempt === MAX_ATTEMPTS) throw error;
      }
    }
  }

  /** After a lost connection each operation is repeated once on the next one, which is safe at any stage. */
  #retry(tasks: readonly Task[], cause: unknown): void {
    const repeated = isDisconnect(cause) ? tasks.filter(({ wasSent }) => !wasSent) : [];
    for (const task of repeated) task.wasSent = true;
    this.#fail(
      tasks.filter((task) => !repeated.includes(task)),
      cause,
    );
    this.#tasks.unshift(...repeated);
  }

  #one({ address, limit, version, words }: Call): Query {
    const { schema, sender } = this.#options;
    const text = `SELECT ${schema}.lease($1, $2, $3, $4, $5, $6, $7)`;
    const term = `${sender.lease * 1_000}`;
    const { hash, label } = address;
    const values = [hash, label, whole(limit), version, term, sender.owner, words];
    return { name: 'headgate lease', text, values, rowMode: 'array' };
  }

  #several(calls: readonly Call[]): Query {
    const { schema, sender } = this.#options;
    const text = `SELECT * FROM ${schema}.leases($1, $2, $3, $4, $5, $6, $7, $8)`;
    const values = [
      calls.map(({ address }) => address.hash),
      calls.map(({ address }) => address.label),
      calls.map(({ limit }) => whole(limit)),
      calls.map(({ version }) => version),
      calls.map(({ words }) => words.length),
      `${sender.lease * 1_000}`,
      sender.owner,
      calls.flatMap(({ words }) => words),
    ];
    return { name: 'headgate leases', text, values, rowMode: 'array' };
  }
}
