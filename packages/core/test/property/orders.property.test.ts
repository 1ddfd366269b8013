import { Caller } from '@headgate/test-kit/caller';
import { assertFor, patience } from '@headgate/test-kit/property';
import { VirtualClock } from '@headgate/test-suite';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  byPriority,
  byShare,
  createGate,
  fair,
  type Gate,
  lifo,
  type Priority,
} from '../../src/index.ts';
import { priorities } from '../../src/semaphore/priority.ts';
import { type Amounts, askGate } from '../ask-gate.ts';

// In any order, every waiter is answered exactly once, no room stays idle, and nothing is left in the end.

const events = fc.array(
  fc.record({
    act: fc.constantFrom('ask', 'ask', 'ask', 'release', 'release', 'withdraw', 'advance', 'busy'),
    at: fc.nat(12),
    weight: fc.constantFrom(1, 1, 1, 2, 3),
    priority: fc.constantFrom<Priority>(...priorities),
    isNarrow: fc.boolean(),
    reaction: fc.constantFrom('none', 'none', 'none', 'release', 'ask', 'withdraw'),
  }),
  { maxLength: 80, size: 'max' },
);

const settings = fc.record({
  order: fc.constantFrom(
    lifo(),
    byPriority(),
    fair(),
    fair(lifo()),
    byPriority(fair(lifo())),
    fair(byPriority()),
    byShare({ share0: 0.5, share1: 0.3 }),
    byShare({ share0: 0.5, share1: 0.5 }, byPriority(fair())),
    byShare({ share0: 0.2, share1: 0.3 }, byPriority(lifo())),
  ),
  keyed: fc.boolean(),
  limit: fc.integer({ min: 1, max: 4 }),
  queueLimit: fc.constantFrom(0, 1, 3, Number.POSITIVE_INFINITY),
  queueWeight: fc.constantFrom(0, 2, 4, Number.POSITIVE_INFINITY),
});

type Settings = typeof settings extends fc.Arbitrary<infer T> ? T : never;
type Event = typeof events extends fc.Arbitrary<(infer T)[]> ? T : never;

class Story {
  readonly clock = new VirtualClock();
  readonly callers: Caller[] = [];
  readonly gate: Gate;

  constructor(private readonly settings: Settings) {
    const { keyed, limit, order, queueLimit, queueWeight } = settings;
    const user = { name: 'user', limit: 2, perKey: true };
    const narrow = { name: 'narrow', limit: 1, optional: true };
    const limits = [...(keyed ? [user, narrow] : []), { name: 'app', limit, queueWeight }];
    this.gate = createGate({ limits, order, queueLimit, queueTimeout: 20, clock: this.clock });
  }

  act(event: Event): void {
    const { act, at } = event;
    const { callers, clock, gate } = this;
    const one = callers[at % callers.length];
    if (act === 'ask') this.ask(event);
    else if (act === 'release') one?.permit?.release();
    else if (act === 'withdraw' && one !== undefined) gate.withdraw(one);
    else if (act === 'advance') clock.advance(at);
    else if (act === 'busy') clock.busy(at);
    this.settle();
  }

  ask(event: Event): void {
    const { at, priority, reaction } = event;
    const react = () => {
      if (reaction === 'release') caller.permit?.release();
      else if (reaction === 'ask') this.ask({ ...event, reaction: 'none' });
      else if (reaction === 'withdraw' && this.callers[0]) this.gate.withdraw(this.callers[0]);
    };
    const caller: Caller = new Caller({ onGranted: react, onRejected: react });
    caller.priority = priority;
    caller.fairBy = `flow ${at % 4}`;
    this.callers.push(caller);
    askGate(this.gate, caller, this.#shares(event));
  }

  #shares({ at, weight, isNarrow }: Event): Amounts {
    const { keyed, limit, order } = this.settings;
    const share = order.shareNames?.[at % 3];
    const app = { weight: Math.min(weight, limit), share };
    if (!keyed) return [app];
    const narrow = isNarrow ? { weight: 1, share: order.shareNames?.[at % 2] } : undefined;
    return [{ key: String(at % 3), weight: 1 }, narrow, app];
  }

  settle(): void {
    const { gate, callers } = this;
    const { limit, queueLimit, queueWeight } = this.settings;
    const { limits, queued } = gate.stats();
    const app = limits.at(-1);
    expect(callers.every(({ answers }) => answers <= 1)).toBe(true);
    expect(app?.inflight).toBeLessThanOrEqual(limit);
    expect(queued).toBeLessThanOrEqual(queueLimit);
    expect(app?.queued).toBeLessThanOrEqual(queueWeight);
    // The maximum weight of a request: the next waiter does not fit.
    if ((app?.queued ?? 0) > 0) expect(app?.inflight).toBeGreaterThan(limit - Math.min(3, limit));
  }

  end(): void {
    for (let round = 0; round < 30; round++) {
      for (const { permit } of this.callers) permit?.release();
      this.clock.advance(5);
    }
    const { holders, queued, limits, withdrawn } = this.gate.stats();
    expect([holders, queued, this.clock.armed]).toEqual([0, 0, 0]);
    expect(
      limits.map((each) => each.inflight + each.queued + each.keys).every((n) => n === 0),
    ).toBe(true);
    expect(this.callers.filter(({ answers }) => answers === 0)).toHaveLength(withdrawn);
  }
}

it(
  'every order keeps all guarantees after every random step',
  async () => {
    const property = fc.property(settings, events, (options, script) => {
      const story = new Story(options);
      for (const event of script) story.act(event);
      story.end();
    });
    await assertFor(property, 1500);
  },
  patience,
);
