import { expect, it, onTestFinished, vi } from 'vitest';
import { within } from '../../src/distributed/within.ts';

it('a timer that fires early is not followed by one with a negative duration', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const clock = vi.spyOn(performance, 'now').mockReturnValue(0);
  const timers = vi.spyOn(globalThis, 'setTimeout');
  onTestFinished(() => {
    timers.mockRestore();
    clock.mockRestore();
    vi.useRealTimers();
  });
  const result = within(2, () => new Promise(() => {}));
  vi.advanceTimersByTime(3);
  // Read before anything else runs: timers of other test files in this process may start more.
  expect(timers.mock.calls.map(([, duration]) => duration)).toEqual([2, 0]);
  expect(await result).toBeUndefined();
});
