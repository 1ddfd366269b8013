import {
  type Grant,
  type LeaseRequest,
  type LeaseVerb,
  type LimitRef,
  type Op,
  type OperatedChange,
  type OperatedState,
  type Reply,
  SET_NOW,
  type StoreStats,
} from '@headgate/store-kit';
import { until } from '../kit/until.ts';
import type { StoreProcess } from './store-process.ts';

export type Wishes = Partial<
  Pick<LeaseRequest, 'weight' | 'wait' | 'queueLimit' | 'extraTokens' | 'reserves'>
>;

/** A wait longer than any test. */
export const longWait = { wait: 50_000 };

/**
 * Higher than the number of microseconds in a test. So a later token exceeds these tokens only if the store adds them.
 */
export const EXTRA_TOKENS = 1_000_000_000;

/** A lease that a test requests, with everything that its process knows about it. */
export class LeaseProbe {
  readonly id: string;
  /** The latest reply of the store. */
  reply!: Reply;
  fencing: bigint | undefined = undefined;
  place: string | undefined = undefined;
  wishes: Required<Wishes>;
  resized = false;
  /** Whether any reply has said that it is held. */
  wasHeld = false;
  /** How often the store had asked its process to check, before the store was last asked about this lease. */
  #checks = 0;

  constructor(
    readonly view: LimitView,
    wishes: Wishes,
  ) {
    this.id = view.process.id();
    this.wishes = {
      weight: 1,
      wait: 0,
      queueLimit: 100,
      extraTokens: 0,
      reserves: false,
      ...wishes,
    };
  }

  get state(): Reply['state'] {
    return this.reply.state;
  }

  /** The grants that the store has pushed for it. */
  get grants(): Grant[] {
    return this.view.process.grants.filter(({ id }) => id === this.id);
  }

  request(): LeaseRequest {
    const { id, resized, place, fencing } = this;
    return { ref: this.view.ref, id, ...this.wishes, resized, place, fencing };
  }

  op(verb: LeaseVerb): Op {
    return { verb, lease: this.request() };
  }

  async do(verb: LeaseVerb): Promise<Reply> {
    const { process } = this.view;
    const [reply] = await process.ask([this.op(verb)]);
    // Not reset, since the `check()` of a new subscription does not excuse a store that later pushes no grant.
    if (verb === 'acquire') this.#checks = process.checks;
    return this.hear(reply as Reply);
  }

  resize(weight: number): Promise<Reply> {
    this.wishes = { ...this.wishes, weight };
    this.resized = true;
    return this.do('resize');
  }

  release(): Promise<Reply> {
    return this.do('release');
  }

  /** Resolves when its process knows that it is granted. It polls only after the store has asked it to check. */
  async granted(): Promise<Pick<Grant, 'fencing'>> {
    const { process } = this.view;
    while (this.grants.length === 0 && this.state !== 'held') {
      await this.grantOrCheck(this.#checks);
      if (this.grants.length > 0) break;
      this.#checks = process.checks;
      await this.do('stay');
    }
    this.fencing = this.grants[0]?.fencing ?? this.fencing;
    return { fencing: this.fencing };
  }

  /** Waits until the store pushes its grant, or asks its process to check more than this many times. */
  grantOrCheck(checks: number): Promise<void> {
    return until(
      () => this.grants.length > 0 || this.view.process.checks > checks,
      `the store pushed no grant for lease ${this.id} and called no check()`,
    );
  }

  hear(reply: Reply): Reply {
    this.view.hear(reply);
    this.reply = reply;
    this.wasHeld ||= reply.state === 'held';
    this.fencing = reply.fencing ?? this.fencing;
    this.place = reply.place ?? this.place;
    return reply;
  }
}

/** A limit as one process sees it: as the process has declared it, or as the latest reply says. */
export class LimitView {
  #version = '';
  #declared: readonly number[] | undefined;
  #operated: OperatedState | undefined;
  /** The number that its process declares. */
  readonly #number: number;

  constructor(
    readonly process: StoreProcess,
    readonly name: string,
    readonly key: string | undefined,
    private limit: number,
  ) {
    this.#number = limit;
    this.#declared = [limit];
  }

  get ref(): LimitRef {
    const { name, key, limit } = this;
    const [version, declared, operated] = [this.#version, this.#declared, this.#operated];
    return { name, key, limit, version, declared, operated };
  }

  /** A lease that has not been requested yet. */
  probe(wishes: Wishes = {}): LeaseProbe {
    return new LeaseProbe(this, wishes);
  }

  async acquire(wishes: Wishes = {}): Promise<LeaseProbe> {
    const probe = this.probe(wishes);
    await probe.do('acquire');
    return probe;
  }

  /** Sets the limit, as an operator does. */
  setLimitOp(limit: number): Op {
    const ref = { ...this.ref, limit, version: SET_NOW, declared: [this.#number] };
    return { verb: 'declare', ref };
  }

  async setLimit(limit: number): Promise<Reply> {
    const [reply] = await this.process.ask([this.setLimitOp(limit)]);
    return this.hear(reply as Reply);
  }

  /** Declares a limit, as a process does when it starts. */
  declareOp(number: number): Op {
    return {
      verb: 'declare',
      ref: { ...this.ref, limit: number, version: '', declared: [number] },
    };
  }

  async declare(number: number): Promise<Reply> {
    const [reply] = await this.process.ask([this.declareOp(number)]);
    return this.hear(reply as Reply);
  }

  /** Sends the store a limit that the process knows, with this version. */
  know(limit: number, version: string): Promise<Reply> {
    this.limit = limit;
    this.#version = version;
    return this.operate({});
  }

  /** Sends the store how the limit is operated, as the process knows it. */
  knowOperated(operated: OperatedState): Promise<Reply> {
    this.#operated = operated;
    return this.operate({});
  }

  operateOp(change: OperatedChange): Op {
    return { verb: 'declare', ref: this.ref, change };
  }

  async operate(change: OperatedChange): Promise<Reply> {
    const [reply] = await this.process.ask([this.operateOp(change)]);
    return this.hear(reply as Reply);
  }

  /** Pauses the limit; 0 ends the pause. */
  pauseOp(pause: number): Op {
    return { verb: 'declare', ref: this.ref, pause };
  }

  async pauseFor(pause: number): Promise<Reply> {
    const [reply] = await this.process.ask([this.pauseOp(pause)]);
    return this.hear(reply as Reply);
  }

  stats(): Promise<StoreStats> {
    return this.process.stats(this.ref);
  }

  /** Adopts the limit, its version, and how it is operated, from a reply. */
  hear(reply: Reply): Reply {
    this.limit = reply.limit;
    this.#version = reply.version;
    this.#declared = reply.declared;
    this.#operated = reply.operated;
    return reply;
  }
}
