import { Thrown } from '@headgate/test-kit/property';
import { VirtualClock } from '@headgate/test-suite';
import { expect } from 'vitest';
import {
  createLimiter,
  type HeadgateError,
  type LimiterOptions,
  type LocalLimiter,
  type Permit,
  Waiter,
} from '../../src/index.ts';
import type { AcquireOptions } from '../../src/limiter/acquire-options.ts';
import { Judge } from './judge.ts';

/** What a caller does within its callbacks. */
export const reactions = [
  ...['release', 'releaseOldest', 'withdrawOldest', 'ask', 'askAgain', 'raise', 'lower'],
  ...['dawdle', 'close', 'throw', 'pause', 'rejectAll', 'resume', 'shadow', 'enforce'],
] as const;

export type Reaction = (typeof reactions)[number] | string;

export interface Wishes {
  key?: string;
  weight: number;
  limit?: number;
  queueTimeout?: number;
  mayJoin: boolean;
  gone: boolean;
  whenQueued: Reaction[];
  whenGranted: Reaction[];
  whenRejected: Reaction[];
}

class Actor extends Waiter {
  answers = 0;

  constructor(
    private readonly scene: Scene,
    readonly wishes: Wishes,
  ) {
    super();
    this.key = wishes.key;
    this.weight = wishes.weight;
    this.limit = wishes.limit;
    this.queueTimeout = wishes.queueTimeout;
  }

  granted(permit: Permit): void {
    this.answers++;
    this.scene.permits.push(permit);
    this.#react(this.wishes.whenGranted, permit);
  }

  rejected(): void {
    this.answers++;
    this.#react(this.wishes.whenRejected);
  }

  override mayJoin(): boolean {
    return this.wishes.mayJoin;
  }

  override queued(): void {
    this.#react(this.wishes.whenQueued);
  }

  override gone(): boolean {
    return this.wishes.gone;
  }

  #react(reactions: Reaction[], permit?: Permit): void {
    // A request made within an answer does nothing in its own answer, to prevent infinite recursion.
    if (this.answers <= 1)
      for (const reaction of reactions) this.scene.react(reaction, this, permit);
  }
}

/** A limiter checked by a judge, with everything that a command may act upon. */
export class Scene {
  readonly clock = new VirtualClock();
  readonly limiter: LocalLimiter;
  readonly judge: Judge;
  readonly actors: Actor[] = [];
  readonly permits: Permit[] = [];

  constructor(private readonly options: Omit<LimiterOptions, 'clock'>) {
    this.limiter = createLimiter({ ...options, clock: this.clock });
    if (options.maxHold !== undefined) this.limiter.observe({ leaked: () => {} });
    this.judge = new Judge(this.limiter, this.clock);
  }

  ask(wishes: Wishes): void {
    const actor = new Actor(this, wishes);
    this.actors.push(actor);
    this.request(actor);
  }

  request(actor: Actor): void {
    tolerant(() => this.limiter.request(actor));
  }

  /** Raising the key's limit may admit a waiter whose callback lowers it, so that the weight exceeds the limit. */
  tryAcquire(options: AcquireOptions): void {
    tolerant(() => {
      const permit = this.limiter.tryAcquire(options);
      if (permit !== undefined) this.permits.push(permit);
    });
  }

  react(reaction: Reaction, actor: Actor, permit?: Permit): void {
    const { limiter } = this;
    if (reaction === 'release') permit?.release();
    else if (reaction === 'releaseOldest') this.permits.shift()?.release();
    else if (reaction === 'withdrawOldest') this.withdrawOldest();
    else if (reaction === 'ask') this.ask({ ...actor.wishes, ...quiet });
    else if (reaction === 'askAgain' && actor.answers > 0) this.request(actor);
    else if (reaction === 'raise') limiter.setLimit(limiter.limit + 1);
    else if (reaction === 'lower') limiter.setLimit(Math.max(1, limiter.limit - 1));
    else if (reaction === 'dawdle') this.clock.busy(7);
    else if (reaction === 'close') void limiter.close();
    else if (isOperation(reaction)) this.operate(reaction);
    else if (reaction === 'throw' && actor.answers > 0) throw new Thrown();
  }

  /** A closed limiter supports no operation. */
  operate(operation: OperationName): void {
    if (!this.limiter.closed) this.limiter[operation]();
  }

  withdrawOldest(): void {
    const [oldest] = this.judge.waiting;
    if (oldest !== undefined) this.limiter.withdraw(oldest.waiter);
  }

  /** Checks the invariants, after each step. */
  settle(): void {
    this.judge.settle();
    expect(this.judge.breaches).toEqual([]);
    const timed = this.judge.waiting.some(({ deadline }) => Number.isFinite(deadline));
    // A pause has two timers.
    const most = (timed ? 1 : 0) + (this.options.maxHold === undefined ? 0 : 1) + 2;
    expect(this.clock.armed).toBeLessThanOrEqual(most);
  }

  /** Lets all requests finish, and checks that no weight, waiter, key or timer is left. */
  end(): void {
    for (let round = 0; round < 100 && this.limiter.inflight + this.limiter.queued > 0; round++) {
      this.operate('resume');
      for (const permit of this.permits.splice(0)) permit.release();
      this.clock.advance(50);
    }
    this.clock.advance(100);
    this.settle();
    const { inflight, queued, keys } = this.limiter.stats();
    expect({ inflight, queued, keys, armed: this.clock.armed }).toEqual({
      ...{ inflight: 0, queued: 0, keys: 0, armed: 0 },
    });
  }
}

const operations = ['pause', 'rejectAll', 'resume', 'shadow', 'enforce'] as const;

type OperationName = (typeof operations)[number];

function isOperation(reaction: Reaction): reaction is OperationName {
  return operations.some((name) => name === reaction);
}

const quiet = {
  whenQueued: [],
  whenGranted: [],
  whenRejected: [],
  mayJoin: true,
  gone: false,
};

/** Ignores the errors that a caller's mistakes may cause. */
function tolerant(act: () => void): void {
  try {
    act();
  } catch (error) {
    const { code } = error as HeadgateError;
    const known = ['ERR_HEADGATE_WEIGHT', 'ERR_HEADGATE_WAITING'].includes(code);
    if (!known && !(error instanceof Thrown)) throw error;
  }
}
