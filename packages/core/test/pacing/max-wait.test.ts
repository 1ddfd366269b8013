import { call } from '@headgate/test-kit/caller';
import { describe, expect, it, vi } from 'vitest';
import { byPriority } from '../../src/index.ts';
import { MaxWait } from '../../src/pacing/max-wait.ts';
import { isGranted, scene } from './scene.ts';

/** A loop that is never idle. */
const busy = { idle: () => 0 };

const costOf = (duration: number, perRequest = 1, inflight = 1) => ({
  duration,
  perRequest,
  inflight,
});

describe('the maximum wait', () => {
  it('is 250 ms', () => {
    const maxWait = new MaxWait(costOf(100), Infinity, busy);
    expect(maxWait.remaining(0, 0, false)).toBe(250);
  });

  it('is at most maxWait', () => {
    expect(new MaxWait(costOf(100), 40, busy).remaining(0, 0, false)).toBe(40);
  });

  it('lasts until the client would give up if all queued requests are served within 250 ms', () => {
    const maxWait = new MaxWait(costOf(20, 20), Infinity, busy);
    expect(maxWait.remaining(0, 0, false, 12)).toBe(960);
    expect(maxWait.remaining(0, 0, false, 13)).toBe(250);
    const parallel = new MaxWait(costOf(20, 1, 10), Infinity, busy);
    expect(parallel.remaining(0, 0, false, 125)).toBe(979);
    expect(parallel.remaining(0, 0, false, 126)).toBe(250);
  });

  it('of critical requests leaves time to answer within a second', () => {
    const maxWait = new MaxWait(costOf(100, 10), Infinity, busy);
    expect(maxWait.remaining(500, 500, true)).toBe(890);
  });

  it('of critical requests that take two seconds is nearly as long', () => {
    const maxWait = new MaxWait(costOf(2000, 10), Infinity, busy);
    expect(maxWait.remaining(500, 500, true)).toBe(1970);
  });
});

describe('a burst', () => {
  const burst = () => new MaxWait(costOf(20, 20), Infinity, busy);

  it('consists of the requests in the first 100 ms of a queue, which may wait until clients give up', () => {
    const maxWait = burst();
    maxWait.queued(5000, 1);
    expect(maxWait.remaining(5099, 5099, false)).toBe(960);
    expect(maxWait.remaining(5100, 5100, false)).toBe(250);
  });

  it('ends when more than a hundred requests wait', () => {
    const maxWait = burst();
    for (let length = 1; length <= 100; length++) maxWait.queued(5000, length);
    expect(maxWait.remaining(5000, 5000, false)).toBe(960);
    maxWait.queued(5000, 101);
    expect(maxWait.remaining(5000, 5000, false)).toBe(250);
  });

  it('is not shed once the loop has waited for events for 50 ms and no request has followed', () => {
    let idle = 0;
    const maxWait = new MaxWait(costOf(20, 20), Infinity, { idle: () => idle });
    for (let length = 1; length <= 200; length++) maxWait.queued(5000, length);
    idle += 49;
    expect(maxWait.remaining(5200, 5000, false)).toBe(50);
    idle += 1;
    expect(maxWait.remaining(5200, 5000, false)).toBe(760);
    maxWait.queued(5201, 201);
    expect(maxWait.remaining(5201, 5000, false)).toBe(49);
  });

  it.each([
    [1000, 250],
    [1001, 960],
  ])('%i ms after a waiter was shed may wait for %i ms', (pause, expected) => {
    const maxWait = burst();
    maxWait.shed(5000);
    maxWait.queued(5000 + pause, 1);
    expect(maxWait.remaining(5000 + pause, 5000 + pause, false)).toBe(expected);
  });
});

it('a waiter is shed once it has waited for too long', () => {
  const { loop, limiter } = scene(byPriority(), { limit: 1 });
  call(limiter);
  const first = call(limiter);
  loop.advance(101);
  const late = call(limiter);
  limiter.withdraw(first);
  loop.advance(249);
  expect(late.rejection).toBeUndefined();
  loop.advance(2);
  expect(late.rejection?.reason).toBe('overloaded');
});

it('waiters are shed in time although they were a burst when they were queued, and nothing finishes', () => {
  const { loop, limiter, measure } = scene(byPriority(), { limit: 8 });
  measure(20);
  for (let index = 0; index < 8; index++) {
    call(limiter);
    loop.poll();
  }
  const waiters = Array.from({ length: 200 }, () => call(limiter));
  loop.advance(510);
  const shed = waiters.filter(({ rejection }) => rejection?.reason === 'overloaded');
  // The others could be served soon if one finished.
  expect(shed.length).toBeGreaterThan(90);
});

it('a waiter that is late while the limiter is paused sets no timer for each millisecond', () => {
  const { loop, limiter } = scene(byPriority(), { limit: 1 });
  limiter.pause();
  call(limiter, { queueTimeout: Number.POSITIVE_INFINITY });
  loop.advance(5000);
  const armed = vi.spyOn(loop, 'setTimeout');
  loop.advance(1000);
  expect(armed.mock.calls.length).toBeLessThan(10);
});

it('maxWait: 0 rejects a request at once that cannot start', () => {
  const { loop, limiter, measure } = scene(undefined, { limit: 2, maxWait: 0 });
  measure(1);
  const callers = [call(limiter), call(limiter), call(limiter)];
  expect(callers.map(isGranted)).toEqual([true, true, false]);
  expect(callers[2]?.rejection?.reason).toBe('full');
  expect([limiter.queued, loop.armed]).toEqual([0, 0]);
});

it('at most 10,000 requests wait', () => {
  const { limiter } = scene();
  for (let index = 0; index < 10_002; index++) call(limiter);
  expect(limiter.stats()).toMatchObject({ inflight: 1, queued: 10_000, rejected: { full: 1 } });
});
