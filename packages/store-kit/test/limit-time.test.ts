import { expect, it, onTestFinished, vi } from 'vitest';
import { within } from '../src/limit-time.ts';

it('a timer that fires early is not followed by one with a negative duration', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const clock = vi.spyOn(performance, 'now').mockReturnValue(0);
  const fake = globalThis.setTimeout;
  const durations: unknown[] = [];
  // Not a spy: `restoreAllMocks` in a later test file of this process would bring the fake timers back.
  globalThis.setTimeout = ((callback: () => void, duration?: number) => {
    durations.push(duration);
    return fake(callback, duration);
  }) as typeof setTimeout;
  onTestFinished(() => {
    globalThis.setTimeout = fake;
    clock.mockRestore();
    vi.useRealTimers();
  });
  const result = within(2, () => new Promise(() => {}));
  vi.advanceTimersByTime(3);
  // Read before anything else runs: timers of other test files in this process may start more.
  expect(durations).toEqual([2, 0]);
  expect(await result).toBeUndefined();
});
