import { describe, expect, it } from 'vitest';
import { byPriority, fifo } from '../../src/index.ts';
import { type Caller, call } from '../caller.ts';
import type { FakeLoop } from './fake-loop.ts';
import { isGranted, scene } from './scene.ts';

/** Queues a request behind one that holds the only permit, and after the burst with which the queue began. */
function queueAfterBurst({ loop, limiter }: ReturnType<typeof scene>): Caller {
  call(limiter);
  const first = call(limiter);
  loop.rest(100);
  const late = call(limiter);
  limiter.withdraw(first);
  return late;
}

/** Expects that the caller is still queued after `first` milliseconds, and rejected after `more`. */
function expectOverloaded(loop: FakeLoop, caller: Caller, first: number, more: number): void {
  loop.advance(first);
  expect(caller.rejection).toBeUndefined();
  loop.advance(more);
  expect(caller.rejection?.reason).toBe('overloaded');
}

describe('the maximum wait', () => {
  it('is 250 ms for short requests', () => {
    const busy = scene(fifo(), { limit: 1 });
    busy.measure(1);
    const late = queueAfterBurst(busy);
    expectOverloaded(busy.loop, late, 249, 3);
  });

  it('is for critical requests what is left of a second', () => {
    const busy = scene(byPriority(), { limit: 1 });
    busy.measure(10);
    call(busy.limiter);
    const first = call(busy.limiter);
    busy.loop.rest(100);
    const critical = call(busy.limiter, { priority: 'critical' });
    busy.limiter.withdraw(first);
    expectOverloaded(busy.loop, critical, 900, 100);
  });

  it('does not count what kept the loop busy while there were no requests', () => {
    const busy = scene(fifo(), { limit: 1 });
    // The start of the process.
    busy.loop.busy(2000);
    busy.measure(60, 1);
    busy.loop.rest(600_000);
    busy.loop.busy(3000);
    busy.loop.rest(1_800_000);
    busy.measure(1, 1);
    busy.loop.rest(60_000);
    const late = queueAfterBurst(busy);
    expectOverloaded(busy.loop, late, 249, 3);
  });

  it('is five times as long as requests keep the loop busy', () => {
    const busy = scene(fifo(), { limit: 1 });
    busy.measure(100);
    const late = queueAfterBurst(busy);
    expectOverloaded(busy.loop, late, 499, 3);
  });

  it.each([
    [450, 450],
    [900, 500],
  ])('after a request that has just kept the loop busy for %i ms is %i ms', (work, maxWait) => {
    const busy = scene(fifo(), { limit: 1 });
    busy.measure(1, 1000);
    busy.measure(work, 1);
    const late = queueAfterBurst(busy);
    expectOverloaded(busy.loop, late, maxWait - 15, 20);
  });

  it('is 250 ms again half a minute after a long request', () => {
    const busy = scene(fifo(), { limit: 1 });
    busy.measure(1, 1000);
    busy.measure(450, 1);
    busy.loop.rest(30_000);
    busy.measure(1);
    const late = queueAfterBurst(busy);
    busy.loop.advance(260);
    expect(late.rejection?.reason).toBe('overloaded');
  });

  it.each([
    ['250 ms for requests that take 800 ms: their clients may give up after a second', 800, 250],
    ['a second for requests that take longer than a second', 1100, 1000],
  ])('is %s', (_name, duration, maxWait) => {
    const { loop, limiter, measure } = scene(fifo(), { limit: 1 });
    measure(0, 100, duration);
    call(limiter);
    const late = call(limiter);
    loop.rest(maxWait - 10);
    expect(late.rejection).toBeUndefined();
    loop.rest(20);
    expect(late.rejection?.reason).toBe('overloaded');
  });

  it('leaves time for requests that wait before they keep the loop busy, since clients give up after a second', () => {
    const { loop, limiter, measure } = scene(fifo(), { limit: 1 });
    measure(100, 100, 250);
    call(limiter);
    const inBurst = call(limiter);
    loop.rest(100);
    const late = call(limiter);
    const rejections = () => [inBurst, late].map(({ rejection }) => rejection?.reason);
    loop.rest(180);
    expect(rejections()).toEqual([undefined, undefined]);
    loop.rest(100);
    expect(rejections()).toEqual(['overloaded', 'overloaded']);
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
