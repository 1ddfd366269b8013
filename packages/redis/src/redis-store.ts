import {
  type Answer,
  answerOfRepeated,
  type Capabilities,
  type LimitName,
  type Op,
  Store,
  StoreError,
  type StoreListener,
  type StoreStats,
  within,
} from '@headgate/store-kit';
import { type Call, callsOf, decode, type Sender } from './calls.ts';
import type { Connection } from './connection.ts';
import { closed, failure, isRefusal, late } from './failure.ts';
import { redisKey } from './key.ts';
import { leaseScript } from './lease.lua.ts';
import { linesOf } from './reply.ts';
import { Script } from './script.ts';
import { statsScript } from './stats.lua.ts';
import { Subscription } from './subscription.ts';

const leases = new Script(leaseScript);
const statistics = new Script(statsScript);

export class RedisStore extends Store {
  readonly can: Capabilities = { recall: true };
  readonly #connection: Connection;
  readonly #sender: Sender;
  readonly #subscription: Subscription;
  readonly #unwatch: () => void;
  /** Resumes calls that wait until the client has connected. */
  readonly #waiting = new Set<() => void>();
  #listener: StoreListener | undefined;
  #isUp = true;
  /** Number of times that the client may have repeated commands. */
  #repetitions = 0;
  #isClosed = false;

  constructor(
    connection: Connection,
    prefix: string,
    settings: ConstructorParameters<typeof Store>[0],
  ) {
    super(settings);
    const { leaseDuration, timeout } = settings;
    this.#connection = connection;
    this.#sender = { owner: this.owner, prefix, leaseDuration, keys: new WeakMap() };
    this.#subscription = new Subscription({
      ...{ connection, channel: prefix + this.owner, timeout },
      listener: () => this.#listener,
    });
    this.#unwatch = connection.watch({
      up: () => this.#up(),
      down: (error) => this.#down(error),
      repeats: () => {
        this.#repetitions++;
      },
    });
  }

  async send(ops: readonly Op[], timeout: number): Promise<Answer[]> {
    const answers: (Answer | undefined)[] = new Array(ops.length).fill(undefined);
    if (this.#isClosed) return answers.map(() => ({ error: closed() }));
    this.#subscription.open();
    const calls = callsOf(ops, this.#sender);
    const repetitions = this.#repetitions;
    await within(timeout, (isLate) =>
      Promise.all(calls.map((call) => this.#do(call, answers, isLate))),
    );
    if (answers.some(isQueued)) this.#subscription.waiterQueued();
    const mayRepeat = this.#repetitions > repetitions;
    return answers.map((answer = { error: this.#missing() }, index) =>
      mayRepeat ? answerOfRepeated(ops[index] as Op, answer) : answer,
    );
  }

  listen(listener: StoreListener): () => void {
    this.#listener = listener;
    if (!this.#isUp) listener.state(false, failure(this.#connection.lastError));
    // The subscription may have failed already: it is opened as soon as the client has connected.
    const { mutedBy } = this.#subscription;
    if (mutedBy !== undefined) listener.muted?.(mutedBy);
    return () => {
      if (this.#listener === listener) this.#listener = undefined;
    };
  }

  async stats(ref: LimitName): Promise<StoreStats> {
    if (this.#isClosed) throw closed();
    const key = redisKey(this.#sender.prefix, ref);
    const answer =
      (await within(this.timeout, (isLate) =>
        this.#run(statistics, key, [], isLate).then(read).catch(failure),
      )) ?? this.#missing();
    if (answer instanceof StoreError) throw answer;
    return answer;
  }

  override get closed(): boolean {
    return this.#isClosed;
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#subscription.close();
    this.#unwatch();
    this.#wake();
  }

  /** Performs one call and sets its answers. Never rejects. Grants in a late reply are still reported. */
  async #do(call: Call, answers: (Answer | undefined)[], isLate: () => boolean): Promise<void> {
    try {
      const reply = await this.#run(leases, call.key, call.args, isLate);
      const grants = decode(reply, call, this.#sender, answers);
      for (const grant of grants) this.#listener?.grant(grant);
    } catch (cause) {
      const error = failure(cause);
      for (const index of call.indices) answers[index] ??= { error };
    }
  }

  async #run(script: Script, key: string, args: string[], isLate: () => boolean): Promise<unknown> {
    while (this.#connection.isConnecting && !this.#isClosed && !isLate()) {
      // The client may have an error, such as a missing password: it would retry forever, and each call would wait for
      // its timeout.
      const { lastError } = this.#connection;
      if (isRefusal(lastError)) throw lastError;
      await new Promise<void>((resolve) => this.#waiting.add(resolve));
    }
    // The caller has already received an error, so the call must not be executed once the client connects.
    if (isLate()) throw late();
    return script.run(this.#connection, key, args);
  }

  /** The error for operations that received no answer in time. */
  #missing(): StoreError {
    const { isConnecting, lastError } = this.#connection;
    return isConnecting ? failure(lastError) : late();
  }

  #up(): void {
    this.#subscription.open();
    this.#wake();
    if (this.#isUp) return;
    this.#isUp = true;
    this.#listener?.state(true);
  }

  #down(error: unknown): void {
    this.#subscription.closeIfClientClosed();
    this.#wake();
    if (!this.#isUp) return;
    this.#isUp = false;
    this.#listener?.state(false, failure(error));
  }

  #wake(): void {
    for (const go of this.#waiting) go();
    this.#waiting.clear();
  }
}

function isQueued(answer: Answer | undefined): boolean {
  return answer !== undefined && 'state' in answer && answer.state === 'queued';
}

function read(reply: unknown): StoreStats {
  const lines = linesOf(reply, 7);
  const [limit, version = '', inflight, holders, queued, longestWait, processes] = lines;
  return {
    limit: Number(limit),
    version,
    inflight: Number(inflight),
    holders: Number(holders),
    queued: Number(queued),
    longestWait: Number(longestWait),
    processes: Number(processes),
  };
}
