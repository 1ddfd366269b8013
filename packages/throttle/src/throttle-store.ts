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
} from '@headgate/core/distributed';
import { closed, late, refused, unreachable } from './failure.ts';
import { Limits } from './limits.ts';
import { type OperationContext, Operations } from './operations.ts';
import { Polls } from './polls.ts';
import { Protocol } from './protocol.ts';
import { Sequence } from './sequence.ts';
import { afterAll, type Caller, type CallTimes } from './transport.ts';

/** A waiter checks its lease after this part of it. */
const checkPart = 1 / 3;

export class ThrottleStore extends Store {
  readonly can: Capabilities = {
    fencing: false,
    queueLimit: false,
    setLimit: false,
    keys: false,
    place: false,
    resize: false,
    recall: false,
    counts: false,
  };
  readonly #transport: Caller;
  readonly #limits: Limits;
  readonly #polls: Polls;
  readonly #verbs: Operations;
  /** Keeps acquires in order: the first one requested is the first in the queue. */
  readonly #sequence = new Sequence();
  #listener: StoreListener | undefined;
  #isUp = true;
  #isClosed = false;

  constructor(transport: Caller, lease: number, timeout: number) {
    super({ leaseDuration: lease, timeout });
    this.#transport = transport;
    const protocol = new Protocol(transport);
    this.#limits = new Limits(protocol, this.clock, timeout);
    this.#verbs = new Operations({
      ...{ protocol, clock: this.clock, lease, timeout },
      waits: (line) => this.#polls.poll(line),
      left: (line) => this.#polls.left(line),
      granted: (id) => this.#listener?.grant({ id, fencing: undefined }),
      forgotten: () => this.#listener?.check(),
    });
    this.#polls = new Polls(protocol, timeout, {
      granted: (waiting) => this.#verbs.granted(waiting),
      forgotten: (waiting) => this.#verbs.gone(waiting),
      failed: (error) => this.#down(error),
      succeeded: () => this.#up(),
    });
  }

  async send(ops: readonly Op[], timeout: number): Promise<Answer[]> {
    if (this.#isClosed) return ops.map(() => ({ error: closed('the store') }));
    const answers: Answer[] = ops.map(() => ({ error: late() }));
    const groups = groupsOf(ops);
    const controller = new AbortController();
    // One listener for each call, and there are as many calls as operations.
    setMaxListeners(0, controller.signal);
    await new Promise<void>((resolve) => {
      const end = () => {
        resolve();
        controller.abort(late());
      };
      const cancel = afterAll(timeout, end);
      const times = { signal: controller.signal };
      for (const op of ops) if (op.verb === 'acquire') this.#verbs.prepare(op.lease, times);
      const works = groups.map((indices) => this.#begin(indices, ops, answers, times));
      void Promise.all(works)
        .finally(cancel)
        .then(() => resolve());
    });
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
    await this.#limits.look();
    const metrics = this.#limits.metrics(name);
    if (metrics === undefined) throw refused(`the semaphore service has no semaphore "${name}"`);
    const { max, acquired, pending, longestPending } = metrics;
    const { version } = this.#limits.standing({ name, limit: max, version: '' }, 0);
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
    const course: OperationContext = {
      ...times,
      inSequence: (id, work) => (isIndependent ? this.#sequence.append(name, [id], work) : work()),
    };
    const answer = async (index: number) => {
      if (times.signal?.aborted) return;
      const answered = await this.#do(ops[index] as Op, course);
      if (!times.signal?.aborted) answers[index] = answered;
    };
    const all = async () => {
      for (const index of indices) await answer(index);
    };
    const ids = own.flatMap((op) => (op.verb === 'setLimit' ? [] : op.lease.id));
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

  /** A later acquire must find what was released before it, so it waits for releases. */
  #track(op: Op, work: Promise<void>): Promise<void> {
    if (op.verb === 'release') this.#sequence.admit(refOf(op).name, work);
    return work;
  }

  async #do(op: Op, course: OperationContext): Promise<Answer> {
    try {
      if (op.verb === 'setLimit') throw refused('the semaphore service cannot change a limit');
      const { verb, lease } = op;
      const isKnown = verb === 'release' || verb === 'renew';
      if (!isKnown) await this.#limits.confirm(lease.ref, course);
      const state = await this.#verbs.do(verb, lease, course);
      return { state, ...this.#limits.standing(lease.ref, this.leaseDuration * checkPart) };
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
  return op.verb === 'setLimit' ? op.ref : op.lease.ref;
}
