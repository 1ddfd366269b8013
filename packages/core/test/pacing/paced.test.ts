import { describe, expect, it } from 'vitest';
import {
  adaptive,
  byPriority,
  byShare,
  createLimiter,
  fair,
  fifo,
  type LimiterOptions,
  lifo,
  type Order,
  paced,
} from '../../src/index.ts';
import { type Caller, call } from '../caller.ts';
import { FakeLoop } from './fake-loop.ts';

function scene(order: Order = fifo(), options: Partial<LimiterOptions> = {}) {
  const loop = new FakeLoop();
  const limiter = createLimiter({
    limit: 100,
    queueLimit: Number.POSITIVE_INFINITY,
    order: paced(order, loop),
    clock: loop,
    ...options,
  });
  /** Handles requests that keep the loop busy for this long, one after another, and lets it poll between them. */
  const measure = (work: number, count = 100) => {
    for (let index = 0; index < count; index++) {
      const { permit } = call(limiter);
      loop.busy(work);
      permit?.release();
      loop.poll();
    }
  };
  return { loop, limiter, measure };
}

const isGranted = (caller: Caller) => caller.permit !== undefined;

describe('between two polls', () => {
  it('starts 5 ms of work', () => {
    const { loop, limiter, measure } = scene();
    measure(1);
    const callers = Array.from({ length: 12 }, () => call(limiter));
    expect(callers.filter(isGranted)).toHaveLength(5);
    for (const { permit } of callers.slice(0, 5)) {
      loop.busy(1);
      permit?.release();
    }
    expect(callers.filter(isGranted)).toHaveLength(5);
    loop.poll();
    expect(callers.filter(isGranted)).toHaveLength(10);
  });

  it('starts more if requests take less time than expected', () => {
    const { loop, limiter, measure } = scene();
    measure(4);
    const callers = Array.from({ length: 20 }, () => call(limiter));
    expect(callers.filter(isGranted)).toHaveLength(2);
    for (const caller of callers) {
      if (caller.permit !== undefined) loop.busy(0.5);
      caller.permit?.release();
    }
    expect(callers.filter(isGranted)).toHaveLength(10);
  });

  it.each([
    ['as much work as the loop was busy with rejecting, while the code is cold', 100, 40, 40],
    ['100 ms of work at most, while the code is cold', 100, 130, 100],
    ['5 ms of work, however long the loop was busy with rejecting', 2100, 130, 5],
  ])('starts %s', (_name, measured, rejecting, started) => {
    const { loop, limiter, measure } = scene();
    measure(1, measured);
    const callers = Array.from({ length: 200 }, () => call(limiter));
    const handle = (caller: Caller) => {
      if (caller.permit !== undefined) loop.busy(1);
      caller.permit?.release();
    };
    for (const caller of callers) handle(caller);
    expect(callers.filter(isGranted)).toHaveLength(5);
    loop.busy(rejecting);
    loop.poll();
    for (const caller of callers.slice(5)) handle(caller);
    expect(callers.filter(isGranted)).toHaveLength(5 + started);
  });

  it('starts 5 ms of work while the loop is busy with requests that take several iterations', () => {
    const { loop, limiter, measure } = scene();
    measure(1);
    const callers = Array.from({ length: 100 }, () => call(limiter));
    loop.busy(40);
    loop.poll();
    for (const { permit } of callers.slice(0, 5)) permit?.release();
    const granted = callers.filter(isGranted).length;
    loop.poll();
    expect(callers.filter(isGranted).length - granted).toBeLessThanOrEqual(5);
  });

  it('starts one request that takes longer', () => {
    const { loop, limiter, measure } = scene();
    measure(20);
    const callers = Array.from({ length: 3 }, () => call(limiter));
    expect(callers.map(isGranted)).toEqual([true, false, false]);
    callers[0]?.permit?.release();
    expect(callers.map(isGranted)).toEqual([true, false, false]);
    loop.poll();
    expect(callers.map(isGranted)).toEqual([true, true, false]);
  });

  it('starts others while requests that waited before compute', () => {
    const { loop, limiter } = scene();
    for (let index = 0; index < 50; index++) {
      const { permit } = call(limiter);
      loop.rest(100);
      loop.busy(10);
      permit?.release();
      loop.poll();
    }
    const callers = Array.from({ length: 100 }, () => call(limiter));
    loop.rest(100);
    const running = callers.filter(isGranted);
    loop.poll();
    for (const { permit } of running.slice(0, 5)) {
      loop.busy(10);
      permit?.release();
    }
    expect(callers.filter(isGranted).length).toBeGreaterThanOrEqual(running.length + 5);
  });

  it('starts one request while their cost is unknown', () => {
    const { limiter } = scene();
    const callers = Array.from({ length: 3 }, () => call(limiter));
    expect(callers.map(isGranted)).toEqual([true, false, false]);
  });
});

describe('the work of requests in flight', () => {
  it('holds others back', () => {
    const { loop, limiter, measure } = scene();
    measure(20);
    const [first, second] = [call(limiter), call(limiter)];
    for (let index = 0; index < 10; index++) {
      loop.busy(10);
      loop.advance(0);
      loop.poll();
    }
    expect(second.permit).toBeUndefined();
    first.permit?.release();
    expect(second.permit).toBeDefined();
  });

  it('counts each request once, although its weight is adjusted', () => {
    const { loop, limiter, measure } = scene();
    measure(20);
    for (let index = 0; index < 10; index++) {
      const { permit } = call(limiter);
      for (const weight of [3, 2, 2, 1]) permit?.adjust(weight);
      permit?.release();
      loop.poll();
    }
    const callers = Array.from({ length: 5 }, () => call(limiter));
    for (let index = 0; index < 5; index++) {
      loop.busy(10);
      loop.poll();
    }
    expect(callers.map(isGranted)).toEqual([true, false, false, false, false]);
  });

  it('does not hold others back while the loop is idle', () => {
    const { loop, limiter, measure } = scene();
    measure(20);
    const callers = [call(limiter), call(limiter), call(limiter)];
    for (let index = 0; index < 60; index++) {
      loop.rest(1);
      loop.poll();
    }
    expect(callers.map(isGranted)).toEqual([true, true, true]);
  });

  it('holds others back only for milliseconds, however many long requests are in flight', () => {
    const { loop, limiter, measure } = scene(fifo(), { limit: 10_000 });
    measure(5);
    const streams: Caller[] = [];
    for (let index = 0; index < 2000; index++) {
      streams.push(call(limiter));
      loop.rest(2);
      loop.poll();
    }
    loop.rest(10_000);
    const before = loop.now();
    const next = call(limiter);
    for (let waited = 0; next.permit === undefined && waited < 100; waited++) {
      loop.rest(1);
      loop.poll();
    }
    expect(streams.filter(isGranted).length).toBeGreaterThan(1500);
    expect(loop.now() - before).toBeLessThan(20);
  });
});

describe('requests that wait for a timer or a socket before they compute', () => {
  /** Requests in flight that the loop computes one after another, while others are queued. */
  const saturated = () => {
    const { loop, limiter } = scene();
    const callers: Caller[] = [];
    const inflight = () => callers.filter(isGranted);
    const answer = () => {
      callers.push(call(limiter), call(limiter));
      loop.busy(10);
      const [first] = inflight();
      first?.permit?.release();
      callers.splice(callers.indexOf(first as Caller), 1);
    };
    // The first ones wait for 100 ms, so the loop is idle, and more are started.
    for (let round = 0; round < 100; round++) {
      callers.push(call(limiter));
      loop.rest(1);
      loop.poll();
    }
    for (let round = 0; round < 50; round++) {
      answer();
      loop.poll();
    }
    return { count: () => inflight().length, answer };
  };

  it('are replaced one by one although the loop does not poll', () => {
    const { count, answer } = saturated();
    const before = count();
    expect(before).toBeGreaterThan(2);
    for (let index = 0; index < 4; index++) {
      answer();
      expect(count()).toBe(before);
    }
  });

  it('become fewer while a poll is overdue, so that the loop polls again', () => {
    const { count, answer } = saturated();
    const before = count();
    for (let index = 0; index < 50; index++) answer();
    expect(count()).toBeLessThan(before / 2);
  });

  it('are not replaced by a chain of requests that only compute', () => {
    const { loop, limiter, measure } = scene();
    measure(10);
    const streams = Array.from({ length: 4 }, () => call(limiter));
    for (let round = 0; round < 100; round++) {
      loop.rest(1);
      loop.poll();
    }
    const callers = Array.from({ length: 20 }, () => call(limiter));
    const compute = () => {
      const started = callers.filter(isGranted);
      for (const caller of started) {
        loop.busy(10);
        caller.permit?.release();
        callers.splice(callers.indexOf(caller), 1);
      }
      return started.length;
    };
    while (compute() > 0);
    expect(callers.length).toBeGreaterThan(15);
    streams[0]?.permit?.release();
    expect(compute()).toBe(1);
    expect(compute()).toBe(0);
  });
});

describe('while connections are accepted', () => {
  it('starts nothing, for as long as the loop has worked on requests before', () => {
    const { loop, limiter, measure } = scene();
    measure(20);
    for (let index = 0; index < 2; index++) {
      loop.accept();
      call(limiter).permit?.release();
      loop.poll();
      loop.busy(20);
    }
    loop.accept();
    loop.poll();
    const caller = call(limiter);
    let waited = 0;
    for (; caller.permit === undefined && waited < 500; waited++) {
      loop.busy(1);
      loop.accept();
      loop.poll();
    }
    expect(waited).toBeGreaterThanOrEqual(20);
    expect(waited).toBeLessThanOrEqual(120);
  });

  it('holds requests back for at most 100 ms if the loop is busy with nothing else', () => {
    const { loop, limiter, measure } = scene();
    measure(20);
    for (let index = 0; index < 2; index++) {
      loop.accept();
      loop.busy(20);
      call(limiter).permit?.release();
      loop.poll();
    }
    const caller = call(limiter);
    const from = loop.now();
    while (caller.permit === undefined) {
      loop.busy(30);
      loop.accept();
      loop.poll();
    }
    expect(loop.now() - from).toBeGreaterThanOrEqual(60);
    expect(loop.now() - from).toBeLessThanOrEqual(130);
  });

  it('starts requests at once if a single connection was accepted', () => {
    const { loop, limiter, measure } = scene();
    measure(20);
    loop.accept();
    expect(call(limiter).permit).toBeDefined();
  });
});

describe('the maximum wait', () => {
  it('is 250 ms for short requests', () => {
    const { loop, limiter, measure } = scene(fifo(), { limit: 1 });
    measure(1);
    call(limiter);
    const late = call(limiter);
    loop.advance(249);
    expect(late.rejection).toBeUndefined();
    loop.advance(3);
    expect(late.rejection?.reason).toBe('overloaded');
  });

  it('is five times as long as requests keep the loop busy', () => {
    const { loop, limiter, measure } = scene(fifo(), { limit: 1 });
    measure(100);
    call(limiter);
    const late = call(limiter);
    loop.advance(499);
    expect(late.rejection).toBeUndefined();
    loop.advance(3);
    expect(late.rejection?.reason).toBe('overloaded');
  });

  it('is as long as one request has just kept the loop busy, up to 500 ms', () => {
    const { loop, limiter, measure } = scene(fifo(), { limit: 1 });
    measure(1, 1000);
    measure(450, 1);
    call(limiter);
    const late = call(limiter);
    loop.advance(440);
    expect(late.rejection).toBeUndefined();
    loop.advance(20);
    expect(late.rejection?.reason).toBe('overloaded');
    measure(900, 1);
    call(limiter);
    const later = call(limiter);
    loop.advance(490);
    expect(later.rejection).toBeUndefined();
    loop.advance(30);
    expect(later.rejection?.reason).toBe('overloaded');
  });

  it('is 250 ms again half a minute after a long request', () => {
    const { loop, limiter, measure } = scene(fifo(), { limit: 1 });
    measure(1, 1000);
    measure(450, 1);
    loop.rest(30_000);
    measure(1);
    call(limiter);
    const late = call(limiter);
    loop.advance(260);
    expect(late.rejection?.reason).toBe('overloaded');
  });

  it('is as long as requests take, if that is more than 400 ms', () => {
    const { loop, limiter } = scene(fifo(), { limit: 1 });
    for (let index = 0; index < 100; index++) {
      const { permit } = call(limiter);
      loop.rest(800);
      permit?.release();
      loop.poll();
    }
    call(limiter);
    const late = call(limiter);
    loop.rest(750);
    expect(late.rejection).toBeUndefined();
    loop.rest(60);
    expect(late.rejection?.reason).toBe('overloaded');
  });

  it('rejects immediately those that would wait longer', () => {
    const { loop, limiter } = scene(fifo(), { limit: 1, queueTimeout: 1000 });
    // One request of 10 ms after another, with others queued: 25 are served within the maximum wait.
    const queued: Caller[] = Array.from({ length: 20 }, () => call(limiter));
    for (let index = 0; index < 1000; index++) {
      queued.push(call(limiter));
      const current = queued.shift();
      loop.busy(10);
      current?.permit?.release();
      loop.poll();
    }
    const more = Array.from({ length: 30 }, () => call(limiter));
    const rejected = more.filter(({ rejection }) => rejection?.reason === 'full');
    expect(limiter.queued).toBeGreaterThanOrEqual(25);
    expect(limiter.queued).toBeLessThanOrEqual(30);
    expect(rejected.length).toBeGreaterThanOrEqual(20);
  });

  it('rejects none immediately by what it measured in code that is not compiled yet', () => {
    const { loop, limiter } = scene(fifo(), { limit: 1 });
    const handle = (caller: Caller, work: number) => {
      loop.busy(work);
      caller.permit?.release();
      loop.poll();
    };
    const queued = Array.from({ length: 25 }, () => call(limiter));
    for (let index = 0; index < 150; index++) {
      queued.push(call(limiter));
      handle(queued[index] as Caller, 9);
    }
    for (let index = 150; index < 1500; index++) {
      queued.push(call(limiter));
      handle(queued[index] as Caller, 0.5);
    }
    const burst = Array.from({ length: 200 }, () => call(limiter));
    expect(limiter.stats().rejected.full).toBe(0);
    expect(burst.some(({ rejection }) => rejection !== undefined)).toBe(false);
  });

  it.each([
    ['of silence', 0],
    ['of a light load', 200],
  ])('does not bound the queue by an overload after a minute %s', (_name, requests) => {
    const { loop, limiter } = scene(fifo(), { limit: 1, queueTimeout: 1000 });
    const queued: Caller[] = [];
    for (let index = 0; index < 100; index++) {
      queued.push(call(limiter), call(limiter));
      loop.rest(100);
      for (const { permit } of queued.filter(isGranted)) permit?.release();
      loop.poll();
    }
    expect(queued.some(({ rejection }) => rejection?.reason === 'full')).toBe(true);
    for (let index = 0; index < requests; index++) {
      call(limiter).permit?.release();
      loop.rest(300);
      loop.poll();
    }
    loop.rest(60_000);
    const burst = Array.from({ length: 50 }, () => call(limiter));
    expect(burst.filter(({ rejection }) => rejection !== undefined)).toHaveLength(0);
  });

  it('bounds the queue before anything is known', () => {
    const { limiter } = scene();
    for (let index = 0; index < 10_002; index++) call(limiter);
    expect(limiter.stats()).toMatchObject({ inflight: 1, queued: 10_000, rejected: { full: 1 } });
  });
});

describe('around another order', () => {
  it.each([
    ['fifo()', fifo(), 0],
    ['lifo()', lifo(), 1],
    ['byPriority()', byPriority(), 1],
    ['fair()', fair(), 0],
  ])('%s decides which waiter is next', (_name, order, next) => {
    const { limiter } = scene(order);
    const first = call(limiter);
    const callers = [call(limiter), call(limiter, { priority: 'critical' })];
    first.permit?.release();
    expect(callers.findIndex(isGranted)).toBe(next);
  });

  it.each([byShare({ gold: 0.5 }), paced()])('refuses byShare() and paced()', (order) => {
    expect(() => paced(order)).toThrow(expect.objectContaining({ option: 'order' }));
    expect(() => byPriority(paced())).toThrow(expect.objectContaining({ option: 'order' }));
  });
});

it('keeps neither a timer nor a poll once nothing is queued', () => {
  const { loop, limiter } = scene(fifo(), { limit: adaptive() });
  const callers = Array.from({ length: 20 }, () => call(limiter));
  limiter.withdraw(callers[10] as Caller);
  for (let index = 0; index < 40; index++) {
    loop.rest(1);
    for (const { permit } of callers) permit?.release();
    loop.poll();
  }
  expect(callers.filter(isGranted)).toHaveLength(19);
  expect([loop.armed, loop.isAwaited]).toEqual([0, false]);
});

it('only bounds the wait where the event loop is not measured, as its callbacks may never come', () => {
  const loop = Object.assign(new FakeLoop(), { isMeasured: false });
  const limiter = createLimiter({
    limit: 2,
    queueLimit: Number.POSITIVE_INFINITY,
    order: paced(fifo(), loop),
    clock: loop,
  });
  const callers = Array.from({ length: 3 }, () => call(limiter));
  expect(callers.map(isGranted)).toEqual([true, true, false]);
  expect(loop.isAwaited).toBe(false);
  loop.advance(252);
  expect(callers[2]?.rejection?.reason).toBe('overloaded');
});

it('rejects the waiters when the limiter closes', async () => {
  const { loop, limiter } = scene();
  const callers = Array.from({ length: 3 }, () => call(limiter));
  const closed = limiter.close();
  callers[0]?.permit?.release();
  await closed;
  loop.poll();
  expect(callers.map(({ rejection }) => rejection?.reason)).toEqual([
    undefined,
    'closed',
    'closed',
  ]);
});
