import { Caller } from '@headgate/test-kit/caller';
import { assertFor, patience, Thrown } from '@headgate/test-kit/property';
import { VirtualClock } from '@headgate/test-suite';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  byPriority,
  byShare,
  createGate,
  fifo,
  type Gate,
  type Guard,
  type Limit,
  lifo,
  type Observer,
  type Order,
  type Permit,
} from '../../src/index.ts';
import { askGate } from '../ask-gate.ts';

// Whatever the application's code throws at any time, no permit is leaked and no waiter is lost.

/** Throws at every n-th call, where n is `every`. */
class Faults {
  on = true;
  #calls = 0;

  constructor(private readonly every: number) {}

  maybe(): void {
    if (this.on && ++this.#calls % this.every === 0) throw new Thrown('by a double');
  }

  /** A copy of the object whose members sometimes throw instead of doing anything. */
  in<T extends object>(whole: T): T {
    return new Proxy({} as T, {
      get: (_, name) => {
        const member: unknown = Reflect.get(whole, name);
        if (typeof member !== 'function') {
          this.maybe();
          return member;
        }
        return (...args: unknown[]) => {
          this.maybe();
          return member.apply(whole, args);
        };
      },
    });
  }
}

const doubles = ['limit', 'guard', 'observer', 'waiter'] as const;

const events = fc.array(
  fc.record({
    act: fc.constantFrom('ask', 'ask', 'ask', 'release', 'release', 'withdraw', 'advance', 'run'),
    at: fc.nat(12),
    weight: fc.constantFrom(1, 1, 2, 3),
  }),
  { maxLength: 60, size: 'max' },
);

const settings = fc.record({
  broken: fc.subarray([...doubles], { minLength: 1 }),
  every: fc.integer({ min: 1, max: 9 }),
  order: fc.constantFrom<Order>(fifo(), lifo(), byPriority(), byShare({ share: 0.5 })),
  isKeyed: fc.boolean(),
  queueLimit: fc.constantFrom(1, 3, Number.POSITIVE_INFINITY),
  maxHold: fc.constantFrom(15, undefined),
});

type Settings = typeof settings extends fc.Arbitrary<infer T> ? T : never;
type Event = typeof events extends fc.Arbitrary<(infer T)[]> ? T : never;

class Story {
  readonly clock = new VirtualClock({ random: () => 0.5 });
  readonly faults: Faults;
  readonly callers: Caller[] = [];
  readonly runs: Promise<unknown>[] = [];
  readonly gate: Gate;

  constructor(private readonly settings: Settings) {
    this.faults = new Faults(settings.every);
    // An error while a gate is created belongs to its creator.
    this.faults.on = false;
    this.gate = this.#gate();
    this.faults.on = true;
  }

  #gate(): Gate {
    const { isKeyed, queueLimit, maxHold } = this.settings;
    const limit = { create: () => this.#or('limit', adapting()) };
    const user = { name: 'user', limit: 2, perKey: true };
    const gate = createGate({
      limits: [...(isKeyed ? [user] : []), { name: 'app', limit }],
      guard: this.#or<Guard>('guard', { name: 'guard', admits: () => true }),
      order: this.settings.order,
      queueLimit,
      queueTimeout: 20,
      maxHold,
      clock: this.clock,
    });
    gate.observe(this.#observer());
    return gate;
  }

  #or<T extends object>(double: (typeof doubles)[number], whole: T): T {
    return this.settings.broken.includes(double) ? this.faults.in(whole) : whole;
  }

  #observer(): Observer {
    const see = () => {
      if (this.settings.broken.includes('observer')) this.faults.maybe();
    };
    return {
      admitted: see,
      queued: see,
      rejected: see,
      withdrawn: see,
      released: see,
      leaked: see,
    };
  }

  act(event: Event): void {
    const { at } = event;
    const { callers, clock, gate } = this;
    const one = callers[at % callers.length];
    if (event.act === 'ask') this.ask(event);
    else if (event.act === 'run') this.run(event);
    else if (event.act === 'release') one?.permit?.release();
    else if (event.act === 'withdraw' && one !== undefined) gate.withdraw(one);
    else if (event.act === 'advance') clock.advance(at);
  }

  ask({ at, weight }: Event): void {
    const maybe = () => {
      if (this.settings.broken.includes('waiter')) this.faults.maybe();
    };
    const yes = () => {
      maybe();
      return true;
    };
    const no = () => !yes();
    const caller = new Caller({
      onGranted: maybe,
      onRejected: maybe,
      mayJoin: yes,
      whenQueued: maybe,
      gone: no,
    });
    this.callers.push(caller);
    const { order, isKeyed } = this.settings;
    const app = { weight, share: order.shareNames?.[at % 2] };
    this.#try(() =>
      askGate(this.gate, caller, isKeyed ? [{ key: String(at % 3), weight: 1 }, app] : [app]),
    );
  }

  run({ at, weight }: Event): void {
    const keys = this.settings.isKeyed ? { user: String(at % 3) } : {};
    const work = (permit: Permit) => permit.release();
    this.runs.push(this.gate.run(work, { keys, weights: { app: weight } }).catch(() => {}));
  }

  /** Throws to its caller, who then has no permit. */
  #try(call: () => void): void {
    try {
      call();
    } catch (error) {
      if (!(error instanceof Thrown)) throw error;
    }
  }

  async end(): Promise<void> {
    this.faults.on = false;
    for (let round = 0; round < 30; round++) {
      for (const caller of this.callers) caller.permit?.release();
      this.clock.advance(5);
    }
    // A waiter whose timer could not be set is found by the next request, or by close().
    const closed = this.gate.close();
    await Promise.all(this.runs);
    expect(await closed).toBe(0);
    const { holders, queued, limits } = this.gate.stats();
    expect([holders, queued]).toEqual([0, 0]);
    for (const limit of limits) expect(limit).toMatchObject({ inflight: 0, queued: 0, keys: 0 });
  }
}

function adapting(): Limit {
  let samples = 0;
  return {
    get limit() {
      return 3 + (samples % 3);
    },
    sample: () => void samples++,
  };
}

it(
  'no permit is leaked and no waiter is lost, whatever throws',
  async () => {
    const property = fc.asyncProperty(settings, events, async (options, script) => {
      const story = new Story(options);
      for (const event of script) story.act(event);
      await story.end();
    });
    await assertFor(property, 700);
  },
  patience,
);
