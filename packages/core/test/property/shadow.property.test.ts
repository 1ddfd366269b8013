import { assertFor, patience } from '@headgate/test-kit/property';
import { VirtualClock } from '@headgate/test-suite';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  byPriority,
  byShare,
  createGate,
  createLimiter,
  fair,
  fifo,
  type GateOptions,
  type LimiterOptions,
  lifo,
  type Waiter,
} from '../../src/index.ts';
import { type Arrival, expectSameCounts, play } from './shadow-world.ts';

/** Multiples of 1/1024, so that sums are exact. */
const milliseconds = (max: number) =>
  fc.integer({ min: 1, max: 1024 * max }).map((count) => count / 1024);

const arrival: fc.Arbitrary<Arrival> = fc.record({
  gap: fc.oneof(fc.constant(0), milliseconds(3), milliseconds(30)),
  duration: milliseconds(30).map((time) => time + 1),
  weight: fc.constantFrom(1, 1, 1, 2, 3),
  key: fc.constantFrom('a', 'b'),
  priority: fc.constantFrom('normal', 'critical', 'low'),
  fairBy: fc.constantFrom('x', 'y', 'z'),
  share: fc.constantFrom(undefined, 'gold'),
  queueTimeout: fc.constantFrom(undefined, undefined, 7),
});

const arrivals = fc.array(arrival, { minLength: 1, maxLength: 60 });

const order = fc.constantFrom(
  ...[fifo(), lifo(), byPriority(), fair(), byPriority(fair()), byShare({ gold: 0.4 })],
);

const queue = {
  queueLimit: fc.constantFrom(0, 2, 5, Number.POSITIVE_INFINITY),
  queueTimeout: fc.constantFrom(5, 20, Number.POSITIVE_INFINITY),
  order,
};

const limiterOptions = fc.record({
  ...queue,
  limit: fc.integer({ min: 3, max: 8 }),
  perKey: fc.boolean(),
  queueWeight: fc.constantFrom(4, Number.POSITIVE_INFINITY),
});

function worldOf(options: LimiterOptions) {
  const clock = new VirtualClock({ random: () => 0.5 });
  const limiter = createLimiter({ ...options, clock });
  const shares = options.order?.shareNames ?? [];
  const request = (waiter: Waiter, { key, weight, share }: Arrival) => {
    if (options.perKey) waiter.key = key;
    if (shares.length > 0 && share !== undefined) waiter.share = share;
    waiter.weight = Math.min(weight, limiter.limit);
    limiter.request(waiter);
  };
  return { clock, limiter, request };
}

it(
  'shadow mode counts the same admissions and rejections as an enforcing limiter, at any time',
  () =>
    assertFor(
      fc.property(limiterOptions, arrivals, (options, all) => {
        const [enforced, shadow] = [worldOf(options), worldOf(options)];
        shadow.limiter.shadow();
        const shadowCounts = () => shadow.limiter.stats().shadow;
        expectSameCounts(
          { ...enforced, counts: () => enforced.limiter.stats() },
          { ...shadow, counts: () => shadowCounts() as never },
          all,
        );
        const { rejected, wouldReject, admitted, inflight } = shadow.limiter.stats();
        expect({ admitted, inflight, ...rejected }).toMatchObject({
          ...{ admitted: all.length, inflight: 0, full: 0, timeout: 0, overloaded: 0 },
        });
        expect(wouldReject).toEqual(enforced.limiter.stats().rejected);
      }),
      150,
    ),
  patience,
);

it(
  'shadow mode reports for each request the answer of an enforcing limiter',
  () =>
    assertFor(
      fc.property(limiterOptions, arrivals, (options, all) => {
        const enforced = play(worldOf(options), all).map(({ verdict }) => verdict);
        const verdicts = new Map<object, string>();
        const shadow = worldOf(options);
        shadow.limiter.observe({
          admitted: ({ request }) => void verdicts.set(request, 'admitted'),
          rejected: ({ request, rejection }) => void verdicts.set(request, rejection.reason),
        });
        shadow.limiter.shadow();
        play(shadow, all, () => shadow.limiter.stats());
        expect([...verdicts.values()]).toEqual(enforced);
      }),
      150,
    ),
  patience,
);

it(
  'the suggestion for another limit matches a limiter with that limit',
  () =>
    assertFor(
      fc.property(limiterOptions, arrivals, (options, all) => {
        const shadow = worldOf(options);
        shadow.limiter.shadow();
        const light = all.map((each) => ({ ...each, weight: 1 }));
        play(shadow, light);
        const { limits } = shadow.limiter.stats().suggestion ?? { limits: [] };
        expect(limits.map(({ limit }) => limit)).toContain(options.limit);
        for (const { limit, rejectedShare, inflightPeak } of limits) {
          const other = worldOf({ ...options, limit });
          play(other, light);
          const { admitted, ...stats } = other.limiter.stats();
          expect({ limit, rejectedShare, inflightPeak }).toEqual({
            limit,
            rejectedShare: (light.length - admitted) / light.length,
            inflightPeak: stats.inflightPeak,
          });
        }
      }),
      150,
    ),
  patience,
);

const gateOptions = fc.record({
  queueLimit: queue.queueLimit,
  queueTimeout: queue.queueTimeout,
  order: fc.constantFrom(fifo(), byPriority(), fair()),
  user: fc.integer({ min: 1, max: 3 }),
  app: fc.integer({ min: 2, max: 5 }),
});

function gateWorldOf(
  { user, app, ...common }: typeof gateOptions extends fc.Arbitrary<infer T> ? T : never,
  mode: GateOptions['mode'],
) {
  const clock = new VirtualClock({ random: () => 0.5 });
  const limits = [
    { name: 'user', limit: user, perKey: true },
    { name: 'app', limit: app },
  ];
  const gate = createGate({ ...common, limits, mode, clock });
  const [ofUser, ofApp] = Object.values(gate.limiters);
  const request = (waiter: Waiter, { key, weight }: Arrival) => {
    const demands = [
      { limiter: ofUser as never, key, weight: 1 },
      { limiter: ofApp as never, weight: Math.min(weight, app) },
    ];
    gate.request(waiter, demands);
  };
  return { clock, gate, request };
}

it(
  'a gate in shadow mode counts the same admissions and rejections as an enforcing gate, at any time',
  () =>
    assertFor(
      fc.property(gateOptions, arrivals, (options, all) => {
        const enforced = gateWorldOf(options, 'enforce');
        const shadow = gateWorldOf(options, 'shadow');
        expectSameCounts(
          { ...enforced, counts: () => enforced.gate.stats() },
          { ...shadow, counts: () => shadow.gate.stats().shadow as never },
          all,
        );
        expect(shadow.gate.stats().wouldReject).toEqual(enforced.gate.stats().rejected);
      }),
      150,
    ),
  patience,
);
