import { setMaxListeners } from 'node:events';
import {
  type Answer,
  type Capabilities,
  type LimitName,
  type Op,
  Store,
  StoreError,
  type StoreListener,
  type StoreStats,
} from '@headgate/core/shared';
import { closed, late, refused, unreachable } from './failure.ts';
import { Limits } from './limits.ts';
import { Polls } from './polls.ts';
import { Protocol } from './protocol.ts';
import { afterAll, type CallTimes, type Transport } from './transport.ts';
import { Verbs } from './verbs.ts';

/** Who waits asks so often by itself: in parts of a lease. */
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
  readonly #transport: Transport;
  readonly #limits: Limits;
  readonly #polls: Polls;
  readonly #verbs: Verbs;
  /** What concerns one semaphore is done in order. */
  readonly #turns = new Map<string, Promise<unknown>>();
  #listener: StoreListener | undefined;
  #isUp = true;
  #isClosed = false;

  constructor(transport: Transport, lease: number, timeout: number) {
    super({ lease, timeout });
    this.#transport = transport;
    const protocol = new Protocol(transport);
    this.#limits = new Limits(protocol, this.clock, timeout);
    this.#verbs = new Verbs({
      ...{ protocol, clock: this.clock, lease },
      waits: (line) => this.#polls.want(line),
      granted: (id) => this.#listener?.grant({ id, fencing: undefined }),
      forgotten: () => this.#listener?.check(),
    });
    this.#polls = new Polls(protocol, timeout, {
      // Where that fails, its next `stay` tells.
      granted: (waiting) => void this.#verbs.granted(waiting, { timeout }).catch(() => {}),
      gone: (waiting) => this.#verbs.gone(waiting),
      failed: (error) => this.#down(error),
      worked: () => this.#up(),
    });
  }

  async send(ops: readonly Op[], timeout: number): Promise<Answer[]> {
    if (this.#isClosed) return ops.map(() => ({ error: closed('the store') }));
    const answers: Answer[] = ops.map(() => ({ error: late() }));
    const groups = groupsOf(ops);
    const over = new AbortController();
    // As many calls as there are operations.
    setMaxListeners(0, over.signal);
    await new Promise<void>((resolve) => {
      const end = () => {
        resolve();
        over.abort(late());
      };
      const cancel = afterAll(timeout, end);
      const times = { signal: over.signal };
      const works = groups.map((indices) => this.#inTurn(indices, ops, answers, times));
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

  /** Those operations that concern one semaphore, after those that were sent before. Never rejects. */
  #inTurn(
    indices: readonly number[],
    ops: readonly Op[],
    answers: Answer[],
    times: CallTimes,
  ): Promise<unknown> {
    for (const index of indices) {
      const op = ops[index] as Op;
      if (op.verb === 'acquire') this.#verbs.prepare(op.lease, times);
    }
    const { name } = refOf(ops[indices[0] as number] as Op);
    const before = this.#turns.get(name) ?? Promise.resolve();
    const work = before.then(async () => {
      for (const index of indices) {
        if (times.signal?.aborted) return;
        const answer = await this.#do(ops[index] as Op, times);
        if (!times.signal?.aborted) answers[index] = answer;
      }
    });
    this.#turns.set(name, work);
    return work;
  }

  async #do(op: Op, times: CallTimes): Promise<Answer> {
    try {
      if (op.verb === 'setLimit') throw refused('the semaphore service lets nobody set a limit');
      const { verb, lease } = op;
      const isKnown = verb === 'release' || verb === 'renew';
      if (!isKnown) await this.#limits.confirm(lease.ref, times);
      const state = await this.#verbs.do(verb, lease, times);
      return { state, ...this.#limits.standing(lease.ref, this.lease * checkPart) };
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

/** Which of them concern the same semaphore, in their order. */
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

function refOf(op: Op): LimitName {
  return op.verb === 'setLimit' ? op.ref : op.lease.ref;
}
