import { HeadgateError, type Limiter, systemClock, workersClock } from '@headgate/core';
import {
  type Answer,
  answerOfRepeated,
  Backoff,
  type Capabilities,
  type LimitName,
  type Op,
  Store,
  type StoreListener,
  type StoreStats,
  within,
} from '@headgate/store-kit';
import { byObject, objectName } from './by-object.ts';
import type { ObjectNamespace } from './durable-object.ts';
import { closed, late, unreachable } from './failure.ts';
import { ObjectCall } from './object-call.ts';
import type { Call, Line } from './protocol.ts';

export interface Connection {
  readonly namespace: ObjectNamespace;
  /** Makes this work continue after the request that started it has ended. The work never rejects. */
  waitUntil(work: Promise<unknown>): void;
}

/** The likely cause is a binding of another class. */
const NO_ANSWER = 'it has responded without an answer; is its class LimitObject?';

type AnswerLine = Exclude<Line, { grant: unknown } | { operated: unknown }>;

/** Minimum time in milliseconds for another call. */
const MIN_TIME_LEFT = 5;

/** If several responses break within this many milliseconds, the waiters are checked once for all of them. */
const CHECK_DELAY_MS = 10;

/**
 * Counts limits in Durable Objects: one object for each limit, and for each key of a limit.
 *
 * Each call is a request of its own, sent and answered in the context of the request that needs it. If a call queues a
 * lease, its response stays open until the grant.
 */
export class DurableObjectStore extends Store {
  // Cannot recall idle leases: an isolate without requests receives no messages.
  readonly can: Capabilities = { recall: false };
  readonly #calls = new Set<ObjectCall>();
  #listener: StoreListener | undefined;
  #isClosed = false;
  /** When the waiters will be checked next, or were checked last. */
  #checksAt = -Infinity;

  constructor(
    private readonly connection: Connection,
    settings: ConstructorParameters<typeof Store>[0],
  ) {
    super(settings);
  }

  /**
   * @internal
   * @throws HeadgateError on Workers for a limiter that is not part of a middleware, since no request fires its timers.
   */
  override limiter(settings: Parameters<Store['limiter']>[0]): Limiter {
    if (this.clock === workersClock && settings.clock === systemClock) throw undriven();
    return super.limiter(settings);
  }

  async send(ops: readonly Op[], timeout: number): Promise<Answer[]> {
    const answers: Answer[] = [];
    const sent = [...byObject(ops)].map(async ([name, { ops, indices }]) => {
      const some = await this.#executeInTime(name, ops, timeout);
      for (const [at, index] of indices.entries()) answers[index] = some[at] as Answer;
    });
    const all = Promise.all(sent);
    this.connection.waitUntil(all);
    await all;
    return answers;
  }

  listen(listener: StoreListener): () => void {
    this.#listener = listener;
    return () => {
      if (this.#listener === listener) this.#listener = undefined;
    };
  }

  async stats(ref: LimitName): Promise<StoreStats> {
    if (this.#isClosed) throw closed();
    const call = this.#begin(objectName(ref), { stats: true });
    const answer = this.#answer(call, this.timeout);
    this.connection.waitUntil(answer);
    const line = await answer;
    this.#end(call);
    if ('stats' in line) return line.stats;
    throw 'error' in line ? line.error : unreachable();
  }

  override get closed(): boolean {
    return this.#isClosed;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#listener = undefined;
    for (const call of this.#calls) this.#end(call);
  }

  /**
   * Calls the object again while it cannot be reached, for instance because it is being replaced by a new version. The
   * limiters would do so too, but on Workers their timers may fire too late.
   */
  async #executeInTime(name: string, ops: readonly Op[], timeout: number): Promise<Answer[]> {
    const due = performance.now() + timeout;
    const timeLeft = () => due - performance.now();
    const backoff = new Backoff();
    let answers = await this.#execute(name, ops, timeout);
    while (answers.some(isDown) && !this.#isClosed && timeLeft() >= MIN_TIME_LEFT) {
      const pause = backoff.next(timeLeft() / 2);
      await new Promise((resolve) => setTimeout(resolve, pause));
      const repeated = await this.#execute(name, ops, timeLeft());
      answers = repeated.map((answer, index) => answerOfRepeated(ops[index] as Op, answer));
    }
    return answers;
  }

  async #execute(name: string, ops: readonly Op[], timeout: number): Promise<Answer[]> {
    if (this.#isClosed) return ops.map(() => ({ error: closed() }));
    const call = this.#begin(name, { leaseDuration: this.leaseDuration, ops });
    const line = await this.#answer(call, timeout);
    if ('replies' in line) {
      this.connection.waitUntil(this.#follow(call));
      return [...line.replies];
    }
    this.#end(call);
    const error = 'error' in line ? line.error : unreachable();
    return ops.map(() => ({ error }));
  }

  #begin(name: string, call: Call): ObjectCall {
    const begun = new ObjectCall(this.connection.namespace, name, call);
    this.#calls.add(begun);
    return begun;
  }

  #end(call: ObjectCall): void {
    this.#calls.delete(call);
    call.end();
  }

  /**
   * Resolves to the answer to a call, or to an error after `timeout` milliseconds. Grants may come before the answer.
   */
  async #answer(call: ObjectCall, timeout: number) {
    const answer = await within(timeout, async () => {
      try {
        return (await this.#nextAnswer(call)) ?? { error: unreachable(new Error(NO_ANSWER)) };
      } catch (error) {
        return { error: unreachable(error) };
      }
    });
    return answer ?? { error: late(timeout) };
  }

  /** Passes on messages, and returns the next line that is not a message. */
  async #nextAnswer(call: ObjectCall): Promise<AnswerLine | undefined> {
    for (;;) {
      const line = await call.next();
      if (line !== undefined && 'grant' in line) this.#listener?.grant(line.grant);
      else if (line !== undefined && 'operated' in line) this.#listener?.operated?.(line.operated);
      else return line;
    }
  }

  /** Passes on the grants of leases that a call has queued. Never rejects. */
  async #follow(call: ObjectCall): Promise<void> {
    try {
      await this.#nextAnswer(call);
    } catch {
      await this.#checkSoon();
    }
    this.#calls.delete(call);
  }

  /** Checks all waiters after the object was restarted, since their grants are no longer pushed. */
  async #checkSoon(): Promise<void> {
    const now = this.clock.now();
    if (now < this.#checksAt) return;
    this.#checksAt = now + CHECK_DELAY_MS;
    await new Promise((resolve) => setTimeout(resolve, CHECK_DELAY_MS));
    this.#listener?.check();
  }
}

function isDown(answer: Answer): boolean {
  return 'error' in answer && answer.error.code === 'ERR_HEADGATE_STORE_DOWN';
}

function undriven(): HeadgateError {
  const message =
    'on Cloudflare Workers nothing would renew the permits: use the store with concurrencyLimit() of @headgate/hono';
  return new HeadgateError('ERR_HEADGATE_RUNTIME', message, 'store');
}
