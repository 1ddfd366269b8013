import { call } from '@headgate/test-kit/caller';
import { expect, it, vi } from 'vitest';
import { createLimiter, defaultLimit } from '../../src/index.ts';
import { FakeLoop } from './fake-loop.ts';
import { isGranted, scene } from './scene.ts';

/** Time passes between any two readings of it, as in a process. */
class PassingLoop extends FakeLoop {
  #passed = 0;

  override now(): number {
    this.#passed += 0.05;
    return super.now() + this.#passed;
  }
}

it.each([0.2, 0.3, 0.5, 0.7, 1.1])(
  'no request waits for an event once it may start: %d ms per turn',
  (turn) => {
    const loop = new PassingLoop();
    const limit = defaultLimit({ min: 200, max: 200, initial: 200 }, loop);
    const limiter = createLimiter({ limit, clock: loop });
    const callers = Array.from({ length: 90 }, () => call(limiter));
    let started = 0;
    for (let startedAt = 0; started < callers.length; ) {
      loop.turn(turn);
      const before = started;
      started = callers.filter(isGranted).length;
      if (started > before) startedAt = loop.now();
      expect(loop.now() - startedAt).toBeLessThan(50);
    }
  },
);

it.each([
  ['for the next poll', 0],
  ['for a time', 8],
])('a paused limit looks at no waiter, although one was waiting %s', (_, rested) => {
  const { loop, limiter, measure } = scene();
  measure(2);
  const callers = Array.from({ length: 60 }, () => call(limiter));
  for (let turn = 0; turn < rested; turn++) loop.turn(0.25);
  limiter.pause();
  const setTimer = vi.spyOn(loop, 'setTimeout');
  let polls = 0;
  for (let turn = 0; turn < 100; turn++) {
    if (loop.isAwaited) polls++;
    loop.turn(1);
  }
  expect(polls).toBeLessThanOrEqual(1);
  expect(setTimer).not.toHaveBeenCalled();
  const before = callers.filter(isGranted).length;
  limiter.resume();
  for (let turn = 0; turn < 20; turn++) loop.turn(1);
  expect(callers.filter(isGranted).length).toBeGreaterThan(before);
});

it('work that is stuck stops counting after two standstills, although the pace has just held requests back', () => {
  const { loop, limiter, measure } = scene(undefined, { limit: 4 });
  measure(20, 60);
  const callers = Array.from({ length: 14 }, () => call(limiter));
  const pass = (busy: number, idle: number) => {
    loop.busy(busy);
    loop.advance(0);
    loop.poll();
    loop.turn(idle);
  };
  while (limiter.holders < 4) pass(0, 5);
  const since = loop.now();
  while (limiter.holders === limiter.inflight) pass(30, 5);
  expect(loop.now() - since).toBeLessThanOrEqual(210);
  expect(callers.some(({ rejection }) => rejection)).toBe(false);
});
