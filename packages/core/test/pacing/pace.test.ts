import { type Caller, call } from '@headgate/test-kit/caller';
import { describe, expect, it } from 'vitest';
import {
  byPriority,
  byShare,
  createLimiter,
  defaultLimit,
  fair,
  fifo,
  lifo,
} from '../../src/index.ts';
import { FakeLoop } from './fake-loop.ts';
import { isGranted, scene } from './scene.ts';

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
    [30, 30],
    [80, 50],
  ])(
    'starts as much work as the loop spends on other work, up to 50 ms: after %i ms, %i',
    (other, started) => {
      const { loop, limiter, measure } = scene();
      measure(1, 2100);
      const callers = Array.from({ length: 200 }, () => call(limiter));
      const handle = () => {
        const before = callers.length;
        for (const caller of [...callers]) {
          if (caller.permit === undefined) continue;
          loop.busy(1);
          callers.splice(callers.indexOf(caller), 1);
          caller.permit.release();
        }
        return before - callers.length;
      };
      handle();
      // In this iteration, 200 requests have arrived: their rejections might have taken the time.
      loop.busy(other);
      loop.poll();
      expect(handle()).toBe(5);
      loop.busy(other);
      loop.poll();
      expect(handle()).toBe(started);
    },
  );

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

describe('the order of the queue', () => {
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

  it('byShare() divides its limit', () => {
    const { limiter } = scene(byShare({ gold: 0.5 }));
    const callers = [call(limiter), call(limiter), call(limiter, { share: 'gold' })];
    callers[0]?.permit?.release();
    expect(callers.map(isGranted)).toEqual([true, false, true]);
  });
});

it('keeps neither a timer nor a poll once nothing is queued', () => {
  const { loop, limiter } = scene();
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
  const limit = defaultLimit({ min: 2, max: 2 }, loop);
  const limiter = createLimiter({ limit, clock: loop });
  const callers = Array.from({ length: 3 }, () => call(limiter));
  expect(callers.map(isGranted)).toEqual([true, true, false]);
  expect(loop.isAwaited).toBe(false);
  loop.advance(1002);
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
