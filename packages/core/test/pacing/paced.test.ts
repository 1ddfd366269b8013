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
    for (const { permit } of callers) permit?.release();
    loop.poll();
    expect(callers.filter(isGranted)).toHaveLength(10);
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

  it('starts one request while their cost is unknown', () => {
    const { limiter } = scene();
    const callers = Array.from({ length: 3 }, () => call(limiter));
    expect(callers.map(isGranted)).toEqual([true, false, false]);
  });
});

describe('work that is started and not done', () => {
  it('holds other requests back until it should be done', () => {
    const { loop, limiter, measure } = scene();
    measure(20);
    const [, second] = [call(limiter), call(limiter)];
    loop.poll();
    loop.busy(14);
    loop.poll();
    expect(second.permit).toBeUndefined();
    loop.busy(2);
    loop.advance(0);
    expect(second.permit).toBeDefined();
  });

  it('does not hold others back while the loop is idle', () => {
    const { loop, limiter, measure } = scene();
    measure(20);
    const callers = [call(limiter), call(limiter), call(limiter)];
    for (let index = 0; index < 30; index++) {
      loop.rest(1);
      loop.poll();
    }
    expect(callers.map(isGranted)).toEqual([true, true, true]);
  });
});

describe('while connections are accepted', () => {
  it('starts nothing, for as long as the latest work took', () => {
    const { loop, limiter, measure } = scene();
    measure(20);
    for (let index = 0; index < 3; index++) {
      loop.accept();
      measure(20, 1);
    }
    loop.accept();
    const caller = call(limiter);
    for (let waited = 0; caller.permit === undefined && waited < 100; waited++) {
      loop.busy(1);
      loop.accept();
      loop.poll();
    }
    expect(caller.permit?.waited).toBeGreaterThanOrEqual(17);
    expect(caller.permit?.waited).toBeLessThanOrEqual(21);
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

  it('is six times as long as requests keep the loop busy', () => {
    const { loop, limiter, measure } = scene(fifo(), { limit: 1 });
    measure(100);
    call(limiter);
    const late = call(limiter);
    loop.advance(599);
    expect(late.rejection).toBeUndefined();
    loop.advance(3);
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
    const { loop, limiter } = scene(order);
    const first = call(limiter);
    const callers = [call(limiter), call(limiter, { priority: 'critical' })];
    first.permit?.release();
    loop.poll();
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
