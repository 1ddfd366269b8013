import {
  type Answer,
  type Capabilities,
  type LimitRef,
  type Op,
  Store,
  type StoreError,
  type StoreListener,
  type StoreStats,
} from '@headgate/core/shared';
import { type Call, type Caller, callsOf, decode } from './calls.ts';
import type { Connection } from './connection.ts';
import { closed, failure, isRefusal, late } from './failure.ts';
import { redisKey } from './key.ts';
import { leaseScript } from './lease.lua.ts';
import { Script } from './script.ts';
import { statsScript } from './stats.lua.ts';
import { Subscription } from './subscription.ts';

const leases = new Script(leaseScript);
const statistics = new Script(statsScript);

export class RedisStore extends Store {
  readonly can: Capabilities = {
    fencing: true,
    queueLimit: true,
    setLimit: true,
    keys: true,
    place: true,
    resize: true,
    recall: true,
  };
  readonly #connection: Connection;
  readonly #caller: Caller;
  readonly #subscription: Subscription;
  readonly #unwatch: () => void;
  /** Calls that wait until the client has connected. */
  readonly #held = new Set<() => void>();
  #listener: StoreListener | undefined;
  #isUp = true;
  #isClosed = false;

  constructor(connection: Connection, prefix: string, lease: number, timeout: number) {
    super({ lease, timeout });
    this.#connection = connection;
    this.#caller = { owner: this.owner, prefix, lease };
    this.#subscription = new Subscription(connection, prefix + this.owner, () => this.#listener);
    this.#unwatch = connection.watch({
      up: () => this.#up(),
      down: (error) => this.#down(error),
    });
  }

  async send(ops: readonly Op[], timeout: number): Promise<Answer[]> {
    const answers: (Answer | undefined)[] = new Array(ops.length).fill(undefined);
    if (this.#isClosed) return answers.map(() => ({ error: closed() }));
    this.#subscription.open();
    const calls = callsOf(ops, this.#caller);
    await this.#within(
      timeout,
      calls.map((call) => (isLate: () => boolean) => this.#do(call, answers, isLate)),
    );
    return answers.map((answer) => answer ?? { error: this.#missing() });
  }

  listen(listener: StoreListener): () => void {
    this.#listener = listener;
    return () => {
      if (this.#listener === listener) this.#listener = undefined;
    };
  }

  async stats(ref: Pick<LimitRef, 'name' | 'key'>): Promise<StoreStats> {
    if (this.#isClosed) throw closed();
    let answer: StoreStats | undefined;
    let error: StoreError | undefined;
    const work = async (isLate: () => boolean) => {
      try {
        await this.#ready(isLate);
        if (isLate()) return;
        const key = redisKey(this.#caller.prefix, ref);
        answer = read(await statistics.run(this.#connection, key, []));
      } catch (cause) {
        error = failure(cause);
      }
    };
    await this.#within(this.timeout, [work]);
    if (answer !== undefined) return answer;
    throw error ?? this.#missing();
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#subscription.close();
    this.#unwatch();
    for (const go of this.#held) go();
  }

  /** Answers those of one call; never rejects. What comes too late still lets others in. */
  async #do(call: Call, answers: (Answer | undefined)[], isLate: () => boolean): Promise<void> {
    try {
      if (!this.#connection.isReady) await this.#ready(isLate);
      // Its caller was told that it failed: it must not come true when the client connects.
      if (isLate()) return;
      const reply = await leases.run(this.#connection, call.key, call.args);
      const grants = decode(reply, call, this.#caller, answers);
      for (const grant of grants) this.#listener?.grant(grant);
    } catch (cause) {
      const error = failure(cause);
      for (const index of call.indices) answers[index] ??= { error };
    }
  }

  /** Resolves when the work is done, or its time is over; the work never rejects. */
  #within(
    timeout: number,
    works: readonly ((isLate: () => boolean) => Promise<void>)[],
  ): Promise<void> {
    return new Promise((resolve) => {
      let isLate = false;
      let left = works.length;
      const timer = setTimeout(() => {
        // Where the event loop was busy, answers may have come that nobody has read yet.
        setImmediate(() => {
          isLate = true;
          resolve();
        });
      }, timeout);
      const done = () => {
        if (--left > 0) return;
        clearTimeout(timer);
        resolve();
      };
      for (const work of works) work(() => isLate).then(done);
      if (left === 0) {
        clearTimeout(timer);
        resolve();
      }
    });
  }

  /** Resolves when calls go out at once, or fail at once, or nobody waits for this one any more. */
  async #ready(isLate: () => boolean): Promise<void> {
    while (!this.#connection.isReady && !this.#isClosed && !isLate()) {
      // As for want of a password: a client that tries again and again would let each call wait in vain.
      if (isRefusal(this.#connection.lastError)) throw this.#connection.lastError;
      await new Promise<void>((resolve) => this.#held.add(resolve));
    }
  }

  /** Why there is no answer, when its time is over. */
  #missing(): StoreError {
    return this.#connection.isReady ? late() : failure(this.#connection.lastError);
  }

  #up(): void {
    this.#subscription.open();
    this.#wake();
    if (this.#isUp) return;
    this.#isUp = true;
    this.#listener?.state(true);
  }

  #down(error: unknown): void {
    this.#subscription.pauseWhereClosed();
    this.#wake();
    if (!this.#isUp) return;
    this.#isUp = false;
    this.#listener?.state(false, failure(error));
  }

  #wake(): void {
    for (const go of this.#held) go();
    this.#held.clear();
  }
}

function read(reply: unknown): StoreStats {
  const [limit, version = '', inflight, holders, queued, longestWait] = String(reply).split('\n');
  return {
    limit: Number(limit),
    version,
    inflight: Number(inflight),
    holders: Number(holders),
    queued: Number(queued),
    longestWait: Number(longestWait),
  };
}
