import { adaptive } from '@headgate/core';
import { describe, expect, it } from 'vitest';
import { constant, exponential, lognormal } from '../src/distributions.ts';
import { defaultLimit } from '../src/event-loop/simulate.ts';
import { Server } from '../src/server.ts';
import { mean } from '../src/watch.ts';

// The dependency handles ten jobs at once without slowing down: 100 requests of 100 ms per second.

const limit = adaptive();
const hour = 3600;

/** The results of `measure` with each of the first `count` seeds. One seed would be chance. */
function ofSeeds(count: number, measure: (seed: number) => number) {
  const results = Array.from({ length: count }, (_, index) => measure(index + 1));
  return { mean: mean(results), lowest: Math.min(...results), highest: Math.max(...results) };
}

it('an hour of open-loop overload, at ten times the capacity, does not become the baseline', () => {
  const latencies = ofSeeds(8, (seed) => {
    const server = new Server(10, { limit }, seed);
    server.load(1000, { serviceTime: exponential(100) });
    const quarters = [1, 2, 3, 4].map(() => server.advance(hour / 4));
    for (const { throughput } of quarters) expect(throughput).toBeGreaterThan(90);
    return Math.max(...quarters.map(({ latency }) => latency));
  });
  expect(latencies.mean).toBeLessThan(250);
  expect(latencies.highest).toBeLessThan(400);
}, 300_000);

it.each([
  [100, 3, 200, lognormal(200 / Math.exp(0.5), 1)],
  [20, 1.5, 1000, exponential(1000)],
])(
  'an overload during slow start does not become the baseline: a pool of %i at %f times its capacity',
  (pool, load, time, serviceTime) => {
    const latencies = ofSeeds(8, (seed) => {
      const options = { limit: defaultLimit, queueLimit: 50, queueTimeout: 300 };
      const server = new Server(pool, options, seed);
      server.load((load * pool * 1000) / time, { serviceTime });
      server.advance(100);
      return server.advance(100).latency;
    });
    expect(latencies.mean).toBeLessThan(2.5 * time);
    expect(latencies.highest).toBeLessThan(3.5 * time);
  },
  300_000,
);

it('a limit recovers from slowdowns of two seconds that it does not cause', () => {
  const parts = ofSeeds(16, (seed) => {
    const options = { limit: defaultLimit, queueLimit: 50, queueTimeout: 300 };
    const server = new Server(1000, options, seed);
    server.load(100, { serviceTime: lognormal(50, 0.5) });
    server.advance(8);
    let finished = 0;
    for (let slowdowns = 0; slowdowns < 12; slowdowns++) {
      server.dependency.change(1000, 8);
      finished += 2 * server.advance(2).throughput;
      server.dependency.change(1000, 1);
      finished += 4 * server.advance(4).throughput;
    }
    return finished / (12 * 6 * 100);
  });
  // Work that takes eight times as long is expected to delay waiters for longer than their timeout.
  expect(parts.mean).toBeGreaterThan(0.93);
  expect(parts.lowest).toBeGreaterThan(0.8);
});

it('a tenfold slowdown that the limit does not cause raises it as far as the load needs', () => {
  const server = new Server(100, { limit, queueLimit: 20 });
  server.load(80, { serviceTime: exponential(100) });
  server.advance(120);
  server.dependency.change(1000, 10);
  server.advance(300);
  const slow = server.advance(hour);
  expect(slow.throughput).toBeGreaterThan(76);
  expect(slow.limit).toBeLessThan(500);
  server.dependency.change(100, 1);
  expect(server.advance(600).throughput).toBeGreaterThan(78);
});

it('a limit adapts within 30 s to a dependency that becomes 20 times slower for good', () => {
  const throughputs = ofSeeds(8, (seed) => {
    const server = new Server(1000, { limit, queueLimit: 20 }, seed);
    server.load(200, { serviceTime: lognormal(5, 0.5) });
    server.advance(60);
    server.dependency.change(1000, 20);
    server.advance(30);
    return server.advance(60).throughput;
  });
  expect(throughputs.mean).toBeGreaterThan(195);
  expect(throughputs.lowest).toBeGreaterThan(190);
});

it.each([
  [10, 0.8, hour],
  [10, 1.5, hour],
  [50, 0.8, 300],
  [50, 1.5, 300],
])(
  'a limit recovers after a pool of %i, at %f times its capacity, was twice as slow for %i s',
  (pool, load, seconds) => {
    const server = new Server(pool, { limit: defaultLimit, queueLimit: 50, queueTimeout: 300 });
    const rate = (pool / 0.035) * load;
    server.load(rate, { serviceTime: lognormal(31, 0.5) });
    server.advance(60);
    server.dependency.change(pool, 2);
    server.advance(30);
    const slow = server.advance(seconds);
    expect(slow.throughput).toBeGreaterThan(0.95 * Math.min(rate, pool / 0.07));
    server.dependency.change(pool, 1);
    server.advance(30);
    expect(server.advance(120).throughput).toBeGreaterThan(0.95 * Math.min(rate, pool / 0.035));
  },
);

it('a limit on work of 10 ms and 1 s reaches neither its minimum nor its maximum in 1.2 million requests', () => {
  const server = new Server(100, { limit: defaultLimit, queueLimit: 50, queueTimeout: 300 });
  // 80 are in flight on average.
  server.load(4000, { serviceTime: (random) => (random() < 0.01 ? 1000 : 10) });
  server.advance(10);
  const limits = Array.from({ length: 290 }, () => server.advance(1).limit);
  expect(Math.min(...limits)).toBeGreaterThan(60);
  expect(Math.max(...limits)).toBeLessThan(500);
});

it('a limit follows a dependency whose capacity shrinks and recovers', () => {
  const latencies = ofSeeds(16, (seed) => {
    const server = new Server(10, { limit }, seed);
    server.load(80, { serviceTime: exponential(100) });
    server.advance(120);
    server.dependency.change(3);
    server.advance(60);
    const bad = server.advance(300);
    expect(bad.throughput).toBeGreaterThan(26);
    server.dependency.change(10);
    server.advance(300);
    expect(server.advance(300).throughput).toBeGreaterThan(74);
    return bad.latency;
  });
  expect(latencies.mean).toBeLessThan(250);
  expect(latencies.highest).toBeLessThan(400);
});

it('a first overload long after the start does not become the baseline', () => {
  const throughputs = ofSeeds(12, (seed) => {
    const server = new Server(100, { limit: defaultLimit, queueLimit: 50 }, seed);
    server.load(900, { serviceTime: lognormal(100 / Math.exp(0.5), 1) });
    server.advance(120);
    server.dependency.change(20);
    server.advance(60);
    const { limit: reached, throughput } = server.advance(200);
    expect(reached).toBeLessThan(60);
    return throughput;
  });
  expect(throughputs.mean).toBeGreaterThan(192);
  expect(throughputs.lowest).toBeGreaterThan(180);
});

it('a limit does not grow while it is not fully used', () => {
  const server = new Server(1000, { limit });
  server.load(20, { serviceTime: constant(100) });
  const { limit: reached, throughput } = server.advance(hour);
  expect(throughput).toBeGreaterThan(19);
  // Two requests are in flight on average, ten at most.
  expect(reached).toBeLessThanOrEqual(32);
});

it.each([
  ['one request', 2, 5, 10_000, 2 * hour, 8],
  ['ten thousand requests', 12_000, 100, 10, 20, 2],
])('works at %s per second', (_, rate, capacity, time, seconds, seeds) => {
  const maxThroughput = (capacity * 1000) / (time * Math.exp(0.045));
  const latencies = ofSeeds(seeds, (seed) => {
    const server = new Server(capacity, { limit }, seed);
    server.load(rate, { serviceTime: lognormal(time, 0.3) });
    server.advance(seconds / 2);
    const { throughput, latency } = server.advance(seconds / 2);
    expect(throughput).toBeGreaterThan(maxThroughput * 0.85);
    return latency;
  });
  expect(latencies.mean).toBeLessThan(4 * time);
  expect(latencies.highest).toBeLessThan(7 * time);
});

describe('kinds of work that take 1 ms and 1 s', () => {
  it('a changing mix does not count as an overload', () => {
    const server = new Server(100, { limit });
    const quick = (now: number) => (now % 120_000 < 60_000 ? 2000 : 50);
    server.load(quick, { serviceTime: exponential(1), kind: 'quick' });
    server.load(60, { serviceTime: exponential(1000), kind: 'slow' });
    server.advance(120);
    const { throughput } = server.advance(hour / 2);
    expect(throughput).toBeGreaterThan(0.95 * (60 + 1025));
  });

  it('an overload by one kind of work is detected', () => {
    const limits = ofSeeds(8, (seed) => {
      const server = new Server(20, { limit }, seed);
      server.load(100, { serviceTime: exponential(1), kind: 'quick' });
      server.load(100, { serviceTime: exponential(1000), kind: 'slow' });
      server.advance(120);
      const { latency, throughput, limit: reached } = server.advance(600);
      expect(throughput).toBeGreaterThan(20);
      expect(latency).toBeLessThan(2500);
      return reached;
    });
    expect(limits.mean).toBeLessThan(60);
    expect(limits.highest).toBeLessThan(100);
  });
});

/**
 * The requests that the default limit admits and rejects in a period after the start, in seconds, although nothing slows
 * down work of `time` milliseconds, of which `inflight` would be in flight.
 */
function countWithoutOverload(
  { time, spread, inflight, seeds }: Record<'time' | 'spread' | 'inflight' | 'seeds', number>,
  { from, seconds }: Record<'from' | 'seconds', number>,
) {
  const serviceTime = lognormal(time / Math.exp(spread ** 2 / 2), spread);
  const counts = { admitted: 0, rejected: 0 };
  for (let seed = 1; seed <= seeds; seed++) {
    const options = { limit: defaultLimit, queueLimit: 1000, queueTimeout: 250 };
    const server = new Server(1e6, options, seed);
    server.load((inflight * 1000) / time, { serviceTime });
    server.advance(from);
    const before = server.limiter.stats();
    server.advance(seconds);
    const after = server.limiter.stats();
    counts.admitted += after.admitted - before.admitted;
    counts.rejected += after.rejected.timeout - before.rejected.timeout;
  }
  return counts;
}

it.each([
  [200, 0.3, 4],
  [200, 1, 6],
  [1000, 0.3, 20],
  [1000, 1, 30],
  [5000, 0.3, 60],
])(
  'requests of %i ms (lognormal %f) without a bottleneck are hardly ever rejected from %i s after the start',
  (time, spread, seconds) => {
    const period = { from: seconds, seconds };
    const counts = countWithoutOverload({ time, spread, inflight: 100, seeds: 20 }, period);
    expect(counts.rejected / (counts.rejected + counts.admitted)).toBeLessThan(0.06);
  },
);

it.each([
  [200, 0.3],
  [200, 1],
  [1000, 0.3],
  [1000, 1],
  [10_000, 0.3],
  [10_000, 1],
])(
  'requests of %i ms (lognormal %f) without a bottleneck: nine tenths are admitted in the first ten round trips',
  (time, spread) => {
    const period = { from: 0, seconds: time / 100 };
    const counts = countWithoutOverload({ time, spread, inflight: 50, seeds: 10 }, period);
    expect(counts.admitted / (counts.rejected + counts.admitted)).toBeGreaterThan(0.9);
  },
);

it('drops lower the limit', () => {
  const server = new Server(1000, { limit });
  // Drops requests above 30 in flight.
  const outcome = (inflight: number) => (inflight > 30 ? ('dropped' as const) : ('ok' as const));
  server.load(2000, { serviceTime: exponential(100), outcome });
  server.advance(60);
  for (let minute = 0; minute < 5; minute++) {
    expect(server.advance(60).limit).toBeLessThan(45);
  }
});

it('a limit rejects hardly any requests under a sustainable load', () => {
  const server = new Server(10, { limit });
  server.load(60, { serviceTime: exponential(100) });
  server.advance(300);
  const { rejected } = server.limiter.stats();
  server.advance(hour);
  const later = server.limiter.stats();
  expect((later.rejected.full - rejected.full) / later.admitted).toBeLessThan(0.02);
});
