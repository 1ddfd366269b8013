import { expect, it, onTestFinished, vi } from 'vitest';
import { within } from '../../src/distributed/within.ts';

it('a timer that fires early is not followed by one with a negative duration', async () => {
  const clock = vi.spyOn(performance, 'now').mockReturnValue(0);
  const timers = vi.spyOn(globalThis, 'setTimeout');
  onTestFinished(() => {
    clock.mockRestore();
    timers.mockRestore();
  });
  expect(await within(2, () => new Promise(() => {}))).toBeUndefined();
  expect(timers.mock.calls.map(([, duration]) => duration)).toEqual([2, 0]);
});
