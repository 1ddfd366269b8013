import { Caller } from '@headgate/test-kit/caller';
import { assertFor, patience } from '@headgate/test-kit/property';
import { collectWarnings } from '@headgate/test-kit/warnings';
import { VirtualClock } from '@headgate/test-suite';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { gateStats } from '../../src/http/handle.ts';
import {
  createGate,
  createLimiter,
  type Gate,
  type Limiter,
  type LimitFactory,
} from '../../src/index.ts';
import { askGate } from '../ask-gate.ts';
import { withLongQueue } from '../long-queue.ts';

// A middleware with a single limit asks its limiter, which must behave like a gate.

interface Event {
  act: 'ask' | 'release' | 'withdraw' | 'advance' | 'busy' | 'setLimit' | 'close';
  at: number;
  queueTimeout: number | undefined;
  reaction: 'none' | 'release' | 'ask';
}

const events = fc.array(
  fc.record<Event>({
    act: fc.constantFrom<Event['act']>(
      ...(['ask', 'ask', 'ask', 'ask', 'release', 'release', 'release', 'withdraw'] as const),
      ...(['advance', 'busy', 'setLimit', 'ask', 'ask', 'release', 'close'] as const),
    ),
    at: fc.nat(12),
    queueTimeout: fc.constantFrom(undefined, undefined, 5, Number.POSITIVE_INFINITY),
    reaction: fc.constantFrom('none', 'none', 'release', 'ask'),
  }),
  { maxLength: 60, size: 'max' },
);

const settings = fc.record({
  limit: fc.integer({ min: 1, max: 4 }),
  queueLimit: fc.constantFrom(0, 1, 3, Number.POSITIVE_INFINITY),
  maxHold: fc.constantFrom(undefined, 30),
});

type Settings = typeof settings extends fc.Arbitrary<infer T> ? T : never;

type Common = Omit<Settings, 'limit'> & { queueTimeout: number; clock: VirtualClock };

type Make = (limit: { name: string; limit: LimitFactory }, options: Common) => Gate | Limiter;

const limiter: Make = (limit, options) => createLimiter({ ...limit, ...options });

const gate: Make = (limit, options) => createGate({ limits: [limit], ...options });

/** A gate of two limits, of which one never applies. */
const gateOfTwo: Make = (limit, options) => {
  const unused = { name: 'unused', limit: 1, optional: true };
  return createGate({ name: 'app', limits: [unused, limit], ...options });
};

/** The result of every caller, and the counts over time. */
function story(make: Make, options: Settings, script: readonly Event[]) {
  const seen: unknown[] = [];
  const clock = new VirtualClock({ random: () => 0 });
  const { limit, queueLimit, maxHold } = options;
  // Requests that a callback makes may find other waiters already granted, so that they are expected to wait for longer.
  const own = { name: 'app', limit: withLongQueue(limit) };
  const asked = make(own, { queueLimit, queueTimeout: 20, maxHold, clock });
  const callers: Caller[] = [];
  for (const event of script) {
    apply(event, asked, callers, clock);
    const { limits, ...stats } = gateStats(asked);
    seen.push(stats, limits.at(-1)?.inflight, limits.at(-1)?.queued);
    for (const { answers, permit, rejection } of callers) {
      seen.push([answers, permit?.weight, permit?.waited, rejection?.reason]);
    }
  }
  return seen;
}

function apply(event: Event, asked: Gate | Limiter, callers: Caller[], clock: VirtualClock): void {
  const { act, at } = event;
  const one = callers[at % callers.length];
  if (act === 'ask') ask(event, asked, callers);
  else if (act === 'release') one?.permit?.release();
  else if (act === 'withdraw' && one !== undefined) asked.withdraw(one);
  else if (act === 'advance') clock.advance(at);
  else if (act === 'busy') clock.busy(at);
  else if (act === 'setLimit') asked.limiters.app?.setLimit((at % 5) + 1);
  else if (act === 'close' && at === 0) void asked.close();
}

function ask(event: Event, asked: Gate | Limiter, callers: Caller[]): void {
  const { at, queueTimeout, reaction } = event;
  const limit = asked.limiters.app?.limit ?? 1;
  const weight = Math.min(limit, (at % 3) + 1);
  const caller: Caller = new Caller({
    weight,
    ...(queueTimeout === undefined ? {} : { queueTimeout }),
    onGranted: (permit) => {
      if (reaction === 'release') permit.release();
    },
    onRejected: () => {
      if (reaction === 'ask' && callers.length < 200)
        ask({ ...event, reaction: 'none' }, asked, callers);
    },
  });
  callers.push(caller);
  if ('perKey' in asked) asked.request(caller);
  else askGate(asked, caller, [...Array(Object.keys(asked.limiters).length - 1), { weight }]);
}

it(
  'a limiter behaves like a gate of one limit, and like one of two limits of which one does not apply',
  async () => {
    const warnings = collectWarnings();
    const property = fc.property(settings, events, (options, script) => {
      const expected = story(gateOfTwo, options, script);
      expect(story(limiter, options, script)).toEqual(expected);
      expect(story(gate, options, script)).toEqual(expected);
    });
    await assertFor(property, 600);
    expect(warnings).toEqual(['HEADGATE_MAX_HOLD']);
  },
  patience,
);
