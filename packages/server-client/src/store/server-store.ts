import { setMaxListeners } from 'node:events';
import {
  type Answer,
  type Capabilities,
  type LeaseVerb,
  type LimitName,
  type Op,
  Store,
  StoreError,
  type StoreListener,
  type StoreStats,
  within,
} from '@headgate/store-kit';
import { closed, late, refused, unreachable } from '../failure.ts';
import { HostClock, type LeaseClock } from '../host-clock.ts';
import { Protocol } from '../protocol.ts';
import type { Caller, CallTimes } from '../transport.ts';
import { type OperationContext, Operations } from './operations.ts';
import { Polls } from './polls.ts';
import { SemaphoreCache } from './semaphore-cache.ts';
import { Sequence } from './sequence.ts';

/** A waiter checks its lease after this fraction of it. */
const CHECK_PART = 1 / 3;

export class ServerStore extends Store {
  readonly can: Capabilities = {
    fencing: false,
    queueLimit: false,
    setLimit: false,
    operate: false,
    keys: false,
    place: false,
    resize: false,
    recall: false,
    counts: false,
  };
  readonly #transport: Caller;
  readonly #semaphoreCache: SemaphoreCache;
  readonly #polls: Polls;
  readonly #operations: Operations;
  /** Keeps acquires in order, so that the first one requested is the first in the queue. */
  readonly #sequence = new Sequence();
  #listener: StoreListener | undefined;
  #isUp = true;
  #isClosed = false;

  constructor(
    transport: Caller,
    settings: ConstructorParameters<typeof Store>[0],
    /** Decides whether a lease that the service does not know has expired, or was lost with the service's state. */
    clock: LeaseClock = new HostClock(),
  ) {
    super(settings);
    const { leaseDuration, timeout } = settings;
    this.#transport = transport;
    const protocol = new Protocol(transport);
    this.#semaphoreCache = new SemaphoreCache(protocol, this.clock, timeout);
    this.#operations = new Operations({
      ...{ protocol, clock, leaseDuration, timeout },
      waits: (queue) => this.#polls.poll(queue),
      left: (queue) => this.#polls.left(queue),
      granted: (id) => this.#listener?.grant({ id, fencing: undefined }),
      forgotten: () => this.#listener?.check(),
    });
    this.#polls = new Polls(protocol, timeout, {
      granted: (waiting) => this.#operations.granted(waiting),
      forgotten: (waiting) => this.#operations.gone(waiting),
      failed: (error) => this.#down(error),
      succeeded: () => this.#up(),
    });
  }

  async send(ops: readonly Op[], timeout: number): Promise<Answer[]> {
    if (this.#isClosed) return ops.map(() => ({ error: closed('the store') }));
    const answers: Answer[] = ops.map(() => ({ error: late() }));
    const groups = groupsOf(ops);
    const controller = new AbortController();
    // Each call adds a listener, and there are as many calls as operations.
    setMaxListeners(0, controller.signal);
    const times = { signal: controller.signal };
    const done = await within(timeout, () => {
      for (const op of ops) if (op.verb === 'acquire') this.#operations.prepare(op.lease, times);
      return Promise.all(groups.map((indices) => this.#begin(indices, ops, answers, times)));
    });
    if (done === undefined) controller.abort(late());
    return [...answers];
  }

  listen(listener: StoreListener): () => void {
    this.#listener = listener;
    return () => {
      if (this.#listener === listener) this.#listener = undefined;
    };
  }

  async stats({ name }: LimitName): Promise<StoreStats> {
    if (this.#isClosed) throw closed('the store');
    await this.#semaphoreCache.refresh();
    const metrics = this.#semaphoreCache.metrics(name);
    if (metrics === undefined) throw refused(`the semaphore service has no semaphore "${name}"`);
    const { max, acquired, pending, longestPending } = metrics;
    const { version } = this.#semaphoreCache.limitState({ name, limit: max, version: '' }, 0);
    const longestWait = longestPending * 1_000;
    return {
      limit: max,
      version,
      inflight: acquired,
      holders: acquired,
      queued: pending,
      longestWait,
    };
  }

  override get closed(): boolean {
    return this.#isClosed;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#polls.close();
    this.#transport.close();
  }

  /** Runs the operations on one semaphore. Never rejects. */
  #begin(
    indices: readonly number[],
    ops: readonly Op[],
    answers: Answer[],
    times: CallTimes,
  ): Promise<unknown> {
    const own = indices.map((index) => ops[index] as Op);
    const isIndependent = this.#areIndependent(own);
    const name = nameOf(own);
    const context: OperationContext = {
      ...times,
      inSequence: (id, work) => (isIndependent ? this.#sequence.append(name, [id], work) : work()),
    };
    const answer = async (index: number) => {
      if (times.signal?.aborted) return;
      const answered = await this.#do(ops[index] as Op, context);
      if (!times.signal?.aborted) answers[index] = answered;
    };
    const all = async () => {
      for (const index of indices) await answer(index);
    };
    const ids = own.flatMap((op) => (op.verb === 'declare' ? [] : op.lease.id));
    return isIndependent
      ? Promise.all(indices.map((index) => this.#track(ops[index] as Op, answer(index))))
      : this.#sequence.append(name, ids, all);
  }

  /** Whether these operations may run in any order, also relative to earlier ones. */
  #areIndependent(ops: readonly Op[]): boolean {
    const verbs = new Set(ops.map(({ verb }) => verb));
    if (verbs.has('release') && verbs.has('stay')) return false;
    return ops.every((op) => takesNoPermit(op) && !this.#sequence.isBusy(op.lease.id));
  }

  /** Registers a release, so that a later acquire waits for it and finds what was released. */
  #track(op: Op, work: Promise<void>): Promise<void> {
    if (op.verb === 'release') this.#sequence.admit(refOf(op).name, work);
    return work;
  }

  async #do(op: Op, context: OperationContext): Promise<Answer> {
    try {
      if (op.verb === 'declare') throw refused('the semaphore service cannot change a limit');
      const { verb, lease } = op;
      const isKnown = verb === 'release' || verb === 'renew';
      if (!isKnown) await this.#semaphoreCache.confirm(lease.ref, context);
      const state = await this.#operations.do(verb, lease, context);
      return {
        state,
        ...this.#semaphoreCache.limitState(lease.ref, this.leaseDuration * CHECK_PART),
      };
    } catch (error) {
      return { error: error instanceof StoreError ? error : unreachable(error) };
    }
  }

  #up(): void {
    if (this.#isUp) return;
    this.#isUp = true;
    this.#listener?.state(true);
    this.#listener?.check();
  }

  #down(error: StoreError): void {
    if (!this.#isUp) return;
    this.#isUp = false;
    this.#listener?.state(false, error);
  }
}

/** Groups the operations by semaphore, in their order. */
function groupsOf(ops: readonly Op[]): number[][] {
  const groups = new Map<string, number[]>();
  for (const [index, op] of ops.entries()) {
    const { name } = refOf(op);
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [index]);
    else group.push(index);
  }
  return [...groups.values()];
}

/** Whether the operation competes for no permit. */
function takesNoPermit(op: Op): op is Op & { verb: LeaseVerb } {
  return op.verb === 'renew' || op.verb === 'release' || op.verb === 'stay';
}

/** The semaphore of a group of operations. */
function nameOf([op]: readonly Op[]): string {
  return refOf(op as Op).name;
}

function refOf(op: Op): LimitName {
  return op.verb === 'declare' ? op.ref : op.lease.ref;
}
