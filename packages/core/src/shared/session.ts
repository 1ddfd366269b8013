import { startTimer } from '../clock.ts';
import { HeadgateError, throwLater } from '../errors.ts';
import { StoreError } from '../limiter/store-error.ts';
import type { Lease } from './lease.ts';
import type { SharedPool } from './shared-pool.ts';
import type { Answer, Grant, LeaseVerb, LimitRef, Op, Store, StoreListener } from './store.ts';
import { Turn } from './turn.ts';

type Answered = (answer: Answer, sent: number) => void;

/** Those who are told what a store says unasked. */
export interface Member {
  poolOf(key: string | undefined): SharedPool | undefined;
  readonly name: string;
  /** Perhaps the store is away, or back: worth a question. */
  doubted(): void;
  /** The store is there, and is to know who was let in without it. */
  tell(): void;
}

/**
 * This process and one store: what is asked in one turn travels together, and all leases are renewed by one timer, which keeps
 * no process alive.
 */
export class Session implements StoreListener {
  /** Those that the store may know. */
  readonly #leases = new Map<string, Lease>();
  /** Given back, but the store may not have heard of it; until when it would have expired by itself. */
  readonly #unreleased = new Map<Lease, number>();
  readonly #members = new Set<Member>();
  #batch: { op: Op; answered: Answered }[] = [];
  readonly #turn = new Turn(() => {
    void this.#flush();
  });
  /** Of those given back, the ones of which the store is to be told again. */
  #unheard: Lease[] = [];
  #whenReleased: (() => void)[] = [];
  #wakeAt = Infinity;
  #cancel = () => {};
  #listening = false;
  #made = 0;

  constructor(readonly store: Store) {}

  /** @throws HeadgateError where there is one of this name: both would count as one limit, most likely unawares. */
  join(member: Member): void {
    const { name } = member;
    if ([...this.#members].some((other) => other.name === name)) {
      const message = `the store has a limiter "${name}" in this process: share that one, or give them different names`;
      throw new HeadgateError('ERR_HEADGATE_DUPLICATE_NAME', message, 'name');
    }
    this.#members.add(member);
  }

  leave(member: Member): void {
    this.#members.delete(member);
  }

  newId(): string {
    return `${this.store.owner}.${(this.#made++).toString(36)}`;
  }

  /** Asks for, or about, a lease; the pool is told the answer. */
  ask(verb: LeaseVerb, lease: Lease): void {
    this.#leases.set(lease.id, lease);
    this.send({ verb, lease: lease.request() }, (answer, sent) =>
      lease.pool.answered(lease, verb, answer, sent),
    );
  }

  send(op: Op, answered: Answered): void {
    if (!this.#listening) {
      this.#listening = true;
      this.store.listen(this);
    }
    this.#batch.push({ op, answered });
    this.#turn.soon();
  }

  /** The store has heard of it: it is good until a lease later. */
  heard(lease: Lease, sent: number): void {
    if (lease.state === 'over') return;
    lease.heard = sent;
    this.renewBy(lease, sent + this.store.lease / 3);
  }

  renewBy(lease: Lease, at: number): void {
    lease.renewAt = at;
    if (at < this.#wakeAt) this.#wake(at);
  }

  /** Until when a held lease is certain: what is left covers late timers. */
  endOf(lease: Lease): number {
    return lease.heard + this.store.lease * 0.9;
  }

  /** It is needed no longer: the store is told until it has heard, or until the lease has run out by itself. */
  release(lease: Lease): void {
    const known = this.#leases.delete(lease.id);
    lease.state = 'over';
    if (known) this.releaseLate(lease);
  }

  /** The store knows it, though it is over: it may have heard of the release first. */
  releaseLate(lease: Lease): void {
    if (this.#unreleased.has(lease)) return;
    this.#unreleased.set(lease, this.store.clock.now() + this.store.lease);
    this.#sendRelease(lease);
  }

  /** The store knows nothing of it. */
  forget(lease: Lease): void {
    this.#leases.delete(lease.id);
    lease.state = 'over';
  }

  /** Resolves when the store has heard of all releases, or has not answered for as long as a call may take. */
  released(): Promise<void> {
    if (this.#unreleased.size === 0) return Promise.resolve();
    return new Promise((resolve) => {
      const cancel = startTimer(this.store.clock, this.store.timeout, resolve);
      this.#whenReleased.push(() => {
        cancel();
        resolve();
      });
    });
  }

  grant({ id, fencing }: Grant): void {
    const lease = this.#leases.get(id);
    if (lease !== undefined) lease.pool.granted(lease, fencing);
  }

  recall({ name, key }: Pick<LimitRef, 'name' | 'key'>): void {
    for (const member of this.#members) if (member.name === name) member.poolOf(key)?.recalled();
  }

  check(): void {
    const leases = [...this.#leases.values()];
    // The store may have forgotten all: who holds a place is to be there before those who wait for it.
    for (const member of this.#members) member.tell();
    for (const state of ['held', 'queued']) {
      for (const lease of leases) if (lease.state === state) this.#renew(lease);
    }
  }

  state(up: boolean): void {
    for (const member of [...this.#members]) member.doubted();
    if (up) this.releaseAgain();
  }

  async #flush(): Promise<void> {
    const { store } = this;
    const batch = this.#batch;
    this.#batch = [];
    const sent = store.clock.now();
    const answers = await this.#answers(batch.map(({ op }) => op));
    for (const [index, { answered }] of batch.entries()) {
      try {
        answered(answers[index] ?? silent, sent);
      } catch (error) {
        throwLater(error);
      }
    }
  }

  /** Also of a store that throws, or rejects, or answers nonsense. */
  async #answers(ops: readonly Op[]): Promise<(Answer | undefined)[]> {
    try {
      const answers: unknown[] = await this.store.send(ops, this.store.timeout);
      return ops.map((_, index) => (isAnswer(answers[index]) ? answers[index] : undefined));
    } catch (error) {
      return ops.map(() => failed(error));
    }
  }

  #sendRelease(lease: Lease): void {
    this.send({ verb: 'release', lease: lease.request() }, (answer) => {
      const until = this.#unreleased.get(lease);
      if (until === undefined) return;
      const now = this.store.clock.now();
      if ('error' in answer && now < until) {
        this.#unheard.push(lease);
        return this.#wakeSoon(now);
      }
      this.#unreleased.delete(lease);
      if (this.#unreleased.size === 0) for (const done of this.#whenReleased.splice(0)) done();
      if (!('error' in answer)) lease.pool.learn(answer);
    });
  }

  /** Tells of what the store has not heard. */
  releaseAgain(): void {
    for (const lease of this.#unheard.splice(0)) this.#sendRelease(lease);
  }

  #renew(lease: Lease): void {
    const { clock, lease: length } = this.store;
    // Where no answer comes, it is tried again.
    lease.renewAt = clock.now() + length / 6;
    this.ask(lease.state === 'queued' ? 'stay' : 'renew', lease);
  }

  #wake(at: number): void {
    const { clock } = this.store;
    this.#cancel();
    this.#wakeAt = at;
    this.#cancel = startTimer(clock, Math.max(0, at - clock.now()), () => this.#tend(), true);
  }

  #wakeSoon(now: number): void {
    const at = now + this.store.lease / 24;
    if (at < this.#wakeAt) this.#wake(at);
  }

  /** Renews what is due, or nearly so: leases that are renewed together travel together from then on. */
  #tend(): void {
    const { clock, lease: length } = this.store;
    const now = clock.now();
    this.#wakeAt = Infinity;
    let next = Infinity;
    for (const lease of [...this.#leases.values()]) {
      if (lease.state === 'held' && now >= this.endOf(lease)) lease.pool.holdings.lost(lease);
      else if (lease.renewAt <= now + length / 24) this.#renew(lease);
      if (lease.state === 'held') next = Math.min(next, this.endOf(lease));
      if (lease.state !== 'over') next = Math.min(next, lease.renewAt);
    }
    this.releaseAgain();
    if (next < this.#wakeAt) this.#wake(next);
  }
}

function isAnswer(answer: unknown): answer is Answer {
  return typeof answer === 'object' && answer !== null && ('state' in answer || 'error' in answer);
}

function failed(cause: unknown): Answer {
  return { error: new StoreError('ERR_HEADGATE_STORE_DOWN', 'the store has failed', cause) };
}

const silent: Answer = {
  error: new StoreError('ERR_HEADGATE_STORE_DOWN', 'the store gave no answer that makes sense'),
};
