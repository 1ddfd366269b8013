import { Caller, call, type Wishes } from '@headgate/test-kit/caller';
import { lcg } from '@headgate/test-kit/lcg';
import { VirtualClock } from '@headgate/test-suite';
import { describe, expect, it } from 'vitest';
import {
  byPriority,
  createGate,
  createLimiter,
  type LimiterOptions,
  type Permit,
} from '../src/index.ts';
import { askGate } from './ask-gate.ts';
import { withLongQueue } from './long-queue.ts';

interface Load {
  /** The limit, and the mean duration of a request in milliseconds. */
  limit: number;
  duration: number;
  /** The arrivals, as a multiple of what the limit can serve. */
  load: number;
  isExponential: boolean;
  /** A fixed length of the queue, instead of the bound by time. */
  queueLimit?: number;
}

/** Requests arrive at random, for a minute at the most. */
function overload({ limit, duration, load, isExponential, queueLimit }: Load, seed: number) {
  const clock = new VirtualClock({ random: () => 0.5 });
  // The same arrivals whatever is rejected.
  const [arrivals, durations] = [lcg(seed), lcg(seed + 100)];
  const exponential = (mean: number, random: () => number) => -mean * Math.log(1 - random());
  const queue = queueLimit === undefined ? { limit } : { queueLimit, limit: withLongQueue(limit) };
  const limiter = createLimiter({ clock, ...queue });
  const end = clock.now() + Math.min(60_000, 400 * duration);
  let requests = 0;
  const serve = (permit: NonNullable<Caller['permit']>) =>
    clock.setTimeout(
      () => permit.release(),
      isExponential ? exponential(duration, durations) : duration,
    );
  function arrive(): void {
    requests++;
    call(limiter, { onGranted: serve });
    if (clock.now() < end)
      clock.setTimeout(arrive, exponential(duration / (limit * load), arrivals));
  }
  arrive();
  while (clock.armed > 0) clock.advance(1000);
  const { admitted, rejected } = limiter.stats();
  expect(admitted + rejected.full + rejected.timeout).toBe(requests);
  return { requests, admitted, full: rejected.full, inVain: rejected.timeout };
}

/** The fractions over several runs. */
function fractions(load: Load) {
  const total = { requests: 0, admitted: 0, full: 0, inVain: 0 };
  for (const seed of [1, 2, 3, 4, 5]) {
    const run = overload(load, seed);
    for (const name of Object.keys(total) as (keyof typeof total)[]) total[name] += run[name];
  }
  const { requests, admitted, full, inVain } = total;
  return { inVain: inVain / (admitted + inVain), rejected: (full + inVain) / requests };
}

describe.each([
  { limit: 4, duration: 500 },
  { limit: 10, duration: 50 },
])('at a limit of $limit requests of $duration ms', ({ limit, duration }) => {
  it.each(
    [1.5, 2, 5].flatMap((load) => [
      { load, isExponential: false },
      { load, isExponential: true },
    ]),
  )(
    'at most 2 % of the accepted requests time out at $load × the capacity, and about as few are rejected as with the best fixed queueLimit (exponential durations: $isExponential)',
    (by) => {
      const { inVain, rejected } = fractions({ limit, duration, ...by });
      expect(inVain).toBeLessThanOrEqual(0.02);
      const served = (2000 * limit) / duration;
      const fixed = [0.25, 0.5, 0.7, 0.9, 1].map((part) =>
        fractions({ limit, duration, ...by, queueLimit: Math.round(part * served) }),
      );
      const best = Math.min(...fixed.map((one) => one.rejected));
      expect(rejected).toBeLessThanOrEqual(best + 0.02);
    },
  );
});

/** A limiter whose requests have taken 500 ms each until now, while others were queued. */
function measured(options: Partial<LimiterOptions> = {}) {
  const clock = new VirtualClock({ random: () => 0 });
  const limiter = createLimiter({ limit: 1, clock, ...options });
  const granted: Permit[] = [];
  const ask = (wishes: Wishes = {}) =>
    call(limiter, { ...wishes, onGranted: (permit) => granted.push(permit) });
  const finish = (after = 500) => {
    clock.advance(after);
    granted.shift()?.release();
  };
  for (let count = 0; count < limiter.limit; count++) ask();
  for (let count = 0; count < 5; count++) {
    ask();
    finish();
  }
  return { clock, limiter, ask, finish };
}

const reason = ({ rejection, permit }: Caller) =>
  rejection?.reason ?? (permit ? 'granted' : 'waits');

describe('a request that would time out in the queue', () => {
  it('is rejected on arrival as full, with the expected wait as Retry-After', () => {
    const { ask } = measured();
    expect([ask(), ask(), ask()].map(reason)).toEqual(['waits', 'full', 'full']);
    expect(ask().rejection).toMatchObject({ reason: 'full', waited: 0, queued: 1, retryAfter: 1 });
  });

  it('is recognized by its own queueTimeout', () => {
    const { ask } = measured();
    const timeouts = [499, 500, 2499, 2500, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
    const reasons = timeouts.map((queueTimeout) => reason(ask({ queueTimeout })));
    expect(reasons).toEqual(['full', 'waits', 'full', 'waits', 'waits', 'waits']);
  });

  it('is recognized by its weight and the weight ahead of it', () => {
    const ask = (...weights: number[]) => {
      // A weight of 1 is released every 500 ms.
      const limiter = measured({ limit: 4 });
      return weights.map((weight) => reason(limiter.ask({ weight, queueTimeout: 3000 })));
    };
    expect(ask(4)).toEqual(['waits']);
    expect(ask(1, 1)).toEqual(['waits', 'waits']);
    expect(ask(2, 2)).toEqual(['waits', 'full']);
  });

  it('is recognized by the queue of its own key', () => {
    const clock = new VirtualClock();
    const limiter = createLimiter({ limit: 1, perKey: true, clock });
    const ask = (key: string) => call(limiter, { key });
    let held = ask('slow');
    for (let count = 0; count < 3; count++) {
      const next = ask('slow');
      clock.advance(1900);
      held.permit?.release();
      held = next;
    }
    ask('other');
    expect([ask('slow'), ask('slow'), ask('other'), ask('other')].map(reason)).toEqual([
      ...['waits', 'full', 'waits', 'waits'],
    ]);
  });

  it('waits again once the limit is raised', () => {
    const { ask, limiter } = measured();
    expect([ask(), ask()].map(reason)).toEqual(['waits', 'full']);
    limiter.setLimit(4);
    expect([ask(), ask(), ask(), ask(), ask()].map(reason)).toEqual([
      ...['granted', 'granted', 'waits', 'waits', 'waits'],
    ]);
  });

  it('waits again soon after the releases have become faster', () => {
    const { ask, finish } = measured();
    for (let count = 0; count < 200; count++) {
      ask();
      finish(20);
    }
    expect(Array.from({ length: 30 }, () => reason(ask()))).not.toContain('full');
  });

  it('is rejected while nothing is released, and waits again soon afterwards', () => {
    const { ask, clock, finish, limiter } = measured({ limit: 2 });
    ask();
    clock.advance(10_000);
    expect([reason(ask()), limiter.queued]).toEqual(['full', 0]);
    for (let count = 0; count < 200; count++) {
      ask();
      ask();
      finish(25);
    }
    ask();
    expect(reason(ask())).toBe('waits');
  });

  it('is not detected before anything has been released', () => {
    const limiter = createLimiter({ limit: 1, clock: new VirtualClock() });
    expect(Array.from({ length: 500 }, () => reason(call(limiter)))).not.toContain('full');
  });

  it('waits at a paused limiter, which starts measuring again when it is resumed', () => {
    const { ask, clock, limiter, finish } = measured();
    limiter.pause();
    expect([ask(), ask(), ask()].map(reason)).toEqual(['waits', 'waits', 'waits']);
    finish();
    clock.advance(1000);
    limiter.resume();
    expect(reason(ask())).toBe('waits');
  });

  it('waits if it displaces another request', () => {
    const { ask } = measured({ order: byPriority() });
    const low = ask({ priority: 'low' });
    const high = ask({ priority: 'high' });
    expect([low, high, ask({ priority: 'low' })].map(reason)).toEqual(['full', 'waits', 'full']);
  });
});

describe('a request that would be served before jobs without a timeout', () => {
  const job = { priority: 'low', queueTimeout: Number.POSITIVE_INFINITY } as const;

  it('displaces no job, however many there are', () => {
    const { ask } = measured({ order: byPriority() });
    const jobs = Array.from({ length: 50 }, () => ask(job));
    expect(reason(ask({ priority: 'high' }))).toBe('waits');
    expect(jobs.map(reason)).not.toContain('full');
  });

  it('is rejected if it would time out behind the requests of its own priority', () => {
    const { ask } = measured({ order: byPriority() });
    const jobs = Array.from({ length: 50 }, () => ask(job));
    const requests = Array.from({ length: 3 }, () => ask({ priority: 'high' }));
    expect(requests.map(reason)).toEqual(['waits', 'full', 'full']);
    expect(jobs.map(reason)).not.toContain('full');
  });

  it('displaces a job if the queue is full', () => {
    const { ask } = measured({ order: byPriority(), queueLimit: 3 });
    const jobs = Array.from({ length: 3 }, () => ask(job));
    expect(reason(ask({ priority: 'high' }))).toBe('waits');
    expect(jobs.map(reason)).toEqual(['waits', 'waits', 'full']);
  });
});

describe('a request that would time out in the queue of a gate', () => {
  function gated() {
    const clock = new VirtualClock();
    const limits = [
      { name: 'user', limit: 1, perKey: true },
      { name: 'app', limit: 1 },
    ];
    const gate = createGate({ limits, clock, queueTimeout: 1200 });
    const ask = (key: string | undefined, isForApp = true) => {
      const caller = new Caller();
      const demands = [
        key === undefined ? undefined : { key, weight: 1 },
        isForApp ? { weight: 1 } : undefined,
      ];
      askGate(gate, caller, demands as never);
      return caller;
    };
    let held = ask(undefined);
    for (let count = 0; count < 4; count++) {
      const next = ask(undefined);
      clock.advance(500);
      held.permit?.release();
      held = next;
    }
    return { clock, gate, ask };
  }

  it('is rejected by the limit at which it would wait', () => {
    const { ask, gate } = gated();
    expect([ask('ann'), ask('bob')].map(reason)).toEqual(['waits', 'full']);
    expect(ask('bob').rejection?.limitName).toBe('app');
    expect(gate.stats()).toMatchObject({ queued: 1, limits: [{ inflight: 1 }, { inflight: 1 }] });
  });

  it('is recognized by its remaining time', () => {
    const { ask, clock, gate } = gated();
    const holder = ask('cid', false);
    const caller = ask('cid');
    expect(reason(caller)).toBe('waits');
    clock.advance(800);
    holder.permit?.release();
    expect(caller.rejection).toMatchObject({ reason: 'full', limitName: 'app', waited: 800 });
    expect(gate.stats()).toMatchObject({ queued: 0, limits: [{ inflight: 0 }, { inflight: 1 }] });
  });
});
