import { Caller } from '@headgate/test-kit/caller';
import { assertFor, patience } from '@headgate/test-kit/property';
import { collectWarnings } from '@headgate/test-kit/warnings';
import { VirtualClock } from '@headgate/test-suite';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { GateLimitOptions } from '../../src/gate/options.ts';
import { createGate, type Gate } from '../../src/index.ts';
import { askGate } from '../ask-gate.ts';
import { withLongQueue } from '../long-queue.ts';

// A gate of one limit has a simpler implementation, which must behave like the general one.

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

const extra = { name: 'extra', limit: 1, optional: true };

/** The result of every caller, and the counts over time. */
function story(others: readonly GateLimitOptions[], options: Settings, script: readonly Event[]) {
  const seen: unknown[] = [];
  const clock = new VirtualClock({ random: () => 0 });
  const { limit, queueLimit, maxHold } = options;
  const gate = createGate({
    name: 'app',
    // Requests that a callback makes may find other waiters already granted, so that they are expected to wait for longer.
    limits: [...others, { name: 'app', limit: withLongQueue(limit) }],
    ...{ queueLimit, queueTimeout: 20, maxHold, clock },
  });
  const callers: Caller[] = [];
  for (const event of script) {
    apply(event, gate, callers, clock);
    const { limits, ...stats } = gate.stats();
    seen.push(stats, limits.at(-1)?.inflight, limits.at(-1)?.queued);
    for (const { answers, permit, rejection } of callers) {
      seen.push([answers, permit?.weight, permit?.waited, rejection?.reason]);
    }
  }
  return seen;
}

function apply(event: Event, gate: Gate, callers: Caller[], clock: VirtualClock): void {
  const { act, at } = event;
  const one = callers[at % callers.length];
  if (act === 'ask') ask(event, gate, callers);
  else if (act === 'release') one?.permit?.release();
  else if (act === 'withdraw' && one !== undefined) gate.withdraw(one);
  else if (act === 'advance') clock.advance(at);
  else if (act === 'busy') clock.busy(at);
  else if (act === 'setLimit')
    Object.values(gate.limiters)
      .at(-1)
      ?.setLimit((at % 5) + 1);
  else if (act === 'close' && at === 0) void gate.close();
}

function ask({ at, queueTimeout, reaction }: Event, gate: Gate, callers: Caller[]): void {
  const limit = Object.values(gate.limiters).at(-1)?.limit ?? 1;
  const weight = Math.min(limit, (at % 3) + 1);
  const caller: Caller = new Caller({
    ...(queueTimeout === undefined ? {} : { queueTimeout }),
    onGranted: (permit) => {
      if (reaction === 'release') permit.release();
    },
    onRejected: () => {
      if (reaction === 'ask' && callers.length < 200)
        ask({ at, queueTimeout, reaction: 'none', act: 'ask' }, gate, callers);
    },
  });
  callers.push(caller);
  askGate(gate, caller, [...Array(Object.keys(gate.limiters).length - 1), { weight }]);
}

it(
  'a gate of one limit behaves like the general gate',
  async () => {
    const warnings = collectWarnings();
    const property = fc.property(settings, events, (options, script) => {
      expect(story([], options, script)).toEqual(story([extra], options, script));
    });
    await assertFor(property, 600);
    expect(warnings).toEqual(['HEADGATE_MAX_HOLD']);
  },
  patience,
);
