import type { Answer, Op } from '@headgate/store-kit';
import {
  type Call,
  callOf,
  callsOf,
  decode,
  type Notifications,
  type Sender,
  whole,
  wordsOf,
} from './calls.ts';
import { type MakeClient, type Query, statement } from './client.ts';
import { failure, isTransactionRollback } from './failure.ts';
import { FastPath } from './fast-path.ts';
import { ReconnectingClient } from './reconnecting-client.ts';
import { sessionSettings } from './session.ts';

/** Maximum number of operations per transaction. Bounded, since a transaction keeps its limits locked until its end. */
const MAX_OPERATIONS = 500;
/** Maximum number of attempts for a statement that the server rolls back because of a conflict. */
const MAX_ATTEMPTS = 5;

/** Operations that arrived together. */
interface Batch {
  readonly answers: (Answer | undefined)[];
  readonly isLate: () => boolean;
  readonly resolve: () => void;
  /** Number of operations without an answer. */
  left: number;
}

interface Task {
  readonly op: Op;
  readonly batch: Batch;
  /** Its index in the batch. */
  readonly index: number;
}

export interface OperationConnectionOptions {
  readonly make: MakeClient;
  readonly timeout: number;
  readonly schema: string;
  readonly sender: Sender;
  /** Resolves when the connection may be set up. */
  ready(): Promise<void>;
  /** Whether the process must call `wake()` before it performs operations. */
  isIdle(): boolean;
  wake(): Promise<void>;
  /** Whether a lost connection is opened again at once. */
  isNeeded(): boolean;
  /** Sends the notifications of this call. */
  notify(notifications: Notifications, call: Call): void;
  up(): void;
  down(error: unknown): void;
}

/**
 * The connection for operations. Each statement contains all operations that have arrived since the previous statement.
 */
export class OperationConnection {
  readonly reconnectingClient: ReconnectingClient;
  readonly #options: OperationConnectionOptions;
  readonly #fastPath: FastPath;
  #tasks: Task[] = [];
  #isBusy = false;
  /** Sends the waiting operations; undefined if there are none. */
  #resume: (() => void) | undefined;

  constructor(options: OperationConnectionOptions) {
    this.#options = options;
    const { make, timeout, isNeeded, up, down, schema, sender } = options;
    this.#fastPath = new FastPath(schema, sender);
    this.reconnectingClient = new ReconnectingClient({
      make,
      timeout,
      isNeeded,
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
      const batch: Batch = { answers, isLate, resolve, left: ops.length };
      ops.forEach((op, index) => {
        this.#tasks.push({ op, batch, index });
      });
      if (!this.#isBusy) void this.#drain();
      else if (this.#resume === undefined) void this.#drainLater();
    });
  }

  /** Runs in the async context of the caller whose operation comes first in the next statement. */
  async #drainLater(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#resume = resolve;
    });
    this.#resume = undefined;
    await this.#drain();
  }

  async #drain(): Promise<void> {
    this.#isBusy = true;
    while (this.#tasks.length > 0 && this.#resume === undefined) await this.#sendNext();
    if (this.#resume === undefined) this.#isBusy = false;
    else this.#resume();
  }

  async #sendNext(): Promise<void> {
    try {
      if (this.#options.isIdle()) await this.#options.wake();
      if (!this.reconnectingClient.isUp) await this.reconnectingClient.open();
    } catch (cause) {
      return this.#fail(this.#tasks.splice(0), cause);
    }
    // Drops the operations of callers that have already received an error.
    this.#tasks = this.#tasks.filter(({ batch }) => !batch.isLate());
    const next = this.#tasks.splice(0, MAX_OPERATIONS);
    if (next.length > 0) await this.#send(next);
  }

  #fail(tasks: readonly Task[], cause: unknown): void {
    const error = failure(cause);
    for (const task of tasks) answer(task, { error });
  }

  async #send(tasks: readonly Task[]): Promise<void> {
    const [first] = tasks;
    try {
      if (first === undefined || tasks.length > 1) return await this.#sendTogether(tasks);
      const call = callOf(first.op, 0, this.#options.sender);
      const query = this.#fastPath.queryFor(call, first.op);
      if (query === undefined) return await this.#sendTogether(tasks);
      const reply = this.#fastPath.decode(await this.#run(query), call);
      if (reply === undefined) await this.#sendTogether(tasks);
      else answer(first, reply);
    } catch (cause) {
      this.#fail(tasks, cause);
    }
  }

  async #sendTogether(tasks: readonly Task[]): Promise<void> {
    const { sender, notify } = this.#options;
    const ops = tasks.map(({ op }) => op);
    const calls = callsOf(ops, sender);
    const answers: (Answer | undefined)[] = new Array(tasks.length);
    const notifications = await this.#doTogether(calls, ops, answers);
    for (const [i, task] of tasks.entries()) answer(task, answers[i] as Answer);
    for (const [i, one] of notifications.entries()) notify(one, calls[i] as Call);
  }

  async #doTogether(
    calls: Call[],
    ops: readonly Op[],
    answers: (Answer | undefined)[],
  ): Promise<Notifications[]> {
    // Every transaction locks limits in this order, which prevents deadlocks.
    calls.sort((one, other) => (one.address.hash < other.address.hash ? -1 : 1));
    this.#fastPath.recordSent(ops);
    const rows = await this.#run(
      calls.length === 1 ? this.#one(calls[0] as Call, ops) : this.#several(calls, ops),
    );
    return calls.map((call, i) => {
      const notifications = decode(String(rows[i]?.[0]), call, this.#options.sender, answers);
      this.#fastPath.recordAnswered(call, ops, answers);
      return notifications;
    });
  }

  #run(query: Query, attempt = 1): Promise<readonly unknown[][]> {
    return this.reconnectingClient.query(query).catch((error: unknown) => {
      if (!isTransactionRollback(error) || attempt === MAX_ATTEMPTS) throw error;
      return this.#run(query, attempt + 1);
    });
  }

  #one(call: Call, ops: readonly Op[]): Query {
    const { schema, sender } = this.#options;
    const {
      address,
      limit,
      version,
      declared: [declared = 0, before = 0],
    } = call;
    const text = `SELECT ${schema}.lease($1, $2, $3, $4, $5, $6, $7, $8, $9)`;
    const term = `${sender.leaseDuration * 1_000}`;
    const { hash, label } = address;
    const state = [whole(limit), version, whole(declared), whole(before)];
    const values = [hash, label, ...state, term, sender.owner, wordsOf(call, ops)];
    return { name: 'headgate lease', text, values, rowMode: 'array' };
  }

  #several(calls: readonly Call[], ops: readonly Op[]): Query {
    const { schema, sender } = this.#options;
    const words = calls.map((call) => wordsOf(call, ops));
    const text = `SELECT * FROM ${schema}.leases($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`;
    const values = [
      calls.map(({ address }) => address.hash),
      calls.map(({ address }) => address.label),
      calls.map(({ limit }) => whole(limit)),
      calls.map(({ version }) => version),
      calls.map(({ declared: [declared = 0] }) => whole(declared)),
      calls.map(({ declared: [, before = 0] }) => whole(before)),
      words.map(({ length }) => length),
      `${sender.leaseDuration * 1_000}`,
      sender.owner,
      words.flat(),
    ];
    return { name: 'headgate leases', text, values, rowMode: 'array' };
  }
}

function answer({ batch, index }: Task, one: Answer): void {
  batch.answers[index] = one;
  if (--batch.left === 0) batch.resolve();
}
