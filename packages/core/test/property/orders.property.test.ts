import fc from 'fast-check';
import { expect, it } from 'vitest';
import { codel, createGate, type Gate, lifo } from '../../src/index.ts';
import { askGate } from '../ask-gate.ts';
import { Caller } from '../caller.ts';
import { VirtualClock } from '../virtual-clock.ts';
import { assertFor, patience } from './budget.ts';

// Whatever the order: nobody is answered twice or forgotten, no room stays idle, and nothing is left in the end.

const events = fc.array(
  fc.record({
    act: fc.constantFrom('ask', 'ask', 'ask', 'release', 'release', 'withdraw', 'advance', 'busy'),
    at: fc.nat(12),
    reaction: fc.constantFrom('none', 'none', 'none', 'release', 'ask', 'withdraw'),
  }),
  { maxLength: 80, size: 'max' },
);

const settings = fc.record({
  order: fc.constantFrom(lifo(), codel({ target: 5, interval: 10 })),
  keyed: fc.boolean(),
  limit: fc.integer({ min: 1, max: 3 }),
  queueLimit: fc.constantFrom(0, 1, 3, Number.POSITIVE_INFINITY),
});

type Settings = typeof settings extends fc.Arbitrary<infer T> ? T : never;
type Event = typeof events extends fc.Arbitrary<(infer T)[]> ? T : never;

class Story {
  readonly clock = new VirtualClock();
  readonly callers: Caller[] = [];
  readonly gate: Gate;

  constructor(private readonly settings: Settings) {
    const { keyed, limit, order, queueLimit } = settings;
    const user = keyed ? [{ name: 'user', limit: 2, perKey: true }] : [];
    const limits = [...user, { name: 'app', limit }];
    this.gate = createGate({ limits, order, queueLimit, queueTimeout: 20, clock: this.clock });
  }

  act({ act, at, reaction }: Event): void {
    const { callers, clock, gate } = this;
    const one = callers[at % callers.length];
    if (act === 'ask') this.ask(at, reaction);
    else if (act === 'release') one?.permit?.release();
    else if (act === 'withdraw' && one !== undefined) gate.withdraw(one);
    else if (act === 'advance') clock.advance(at);
    else if (act === 'busy') clock.busy(at);
    this.settle();
  }

  ask(at: number, reaction: string): void {
    const react = () => {
      if (reaction === 'release') caller.permit?.release();
      else if (reaction === 'ask') this.ask(at, 'none');
      else if (reaction === 'withdraw' && this.callers[0]) this.gate.withdraw(this.callers[0]);
    };
    const caller: Caller = new Caller({ onGranted: react, onRejected: react });
    this.callers.push(caller);
    const user = this.settings.keyed ? [{ key: String(at % 3), weight: 1 }] : [];
    askGate(this.gate, caller, [...user, { weight: 1 }]);
  }

  settle(): void {
    const { gate, callers } = this;
    const { limits, inflight, queued } = gate.stats();
    const app = limits.at(-1);
    expect(callers.every(({ answers }) => answers <= 1)).toBe(true);
    expect(inflight).toBeLessThanOrEqual(this.settings.limit);
    expect(queued).toBeLessThanOrEqual(this.settings.queueLimit);
    if ((app?.queued ?? 0) > 0) expect(app?.inflight).toBe(this.settings.limit);
  }

  end(): void {
    for (let round = 0; round < 30; round++) {
      for (const { permit } of this.callers) permit?.release();
      this.clock.advance(5);
    }
    const { inflight, queued, limits, withdrawn } = this.gate.stats();
    expect([inflight, queued, this.clock.armed]).toEqual([0, 0, 0]);
    expect(
      limits.map((each) => each.inflight + each.queued + each.keys).every((n) => n === 0),
    ).toBe(true);
    expect(this.callers.filter(({ answers }) => answers === 0)).toHaveLength(withdrawn);
  }
}

it(
  'promises hold at every step, whatever the order',
  async () => {
    const property = fc.property(settings, events, (options, script) => {
      const story = new Story(options);
      for (const event of script) story.act(event);
      story.end();
    });
    await assertFor(property, 600);
  },
  patience,
);
