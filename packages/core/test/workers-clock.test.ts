import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { WorkersClock } from '../src/workers-clock.ts';

let now = 1000;

beforeEach(() => {
  vi.spyOn(performance, 'now').mockImplementation(() => now);
});
afterEach(() => {
  vi.restoreAllMocks();
});

it('the Workers clock fires only due timers, in order, each once', () => {
  const clock = new WorkersClock();
  const fired: string[] = [];
  clock.setTimeout(() => fired.push('late'), 30);
  clock.setTimeout(() => fired.push('second'), 20);
  clock.setTimeout(() => fired.push('first'), 10);
  clock.run();
  expect(fired).toEqual([]);
  now += 20;
  clock.run();
  clock.run();
  expect(fired).toEqual(['first', 'second']);
});

it('the Workers clock does not fire a timer that an earlier timer clears', () => {
  const clock = new WorkersClock();
  const fired: string[] = [];
  const cleared = clock.setTimeout(() => fired.push('cleared'), 20);
  clock.setTimeout(() => clock.clearTimeout(cleared), 10);
  now += 20;
  clock.run();
  expect(fired).toEqual([]);
});

it('the Workers clock returns the time until its next timer', () => {
  const clock = new WorkersClock();
  expect(clock.untilNext).toBe(Infinity);
  clock.setTimeout(() => {}, 30);
  clock.setTimeout(() => {}, 20);
  expect(clock.untilNext).toBe(20);
  now += 25;
  expect(clock.untilNext).toBe(0);
});
