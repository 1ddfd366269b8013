import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { GRACE_PERIOD } from '../src/failure-detector.sql.ts';
import { ReconnectingClient } from '../src/reconnecting-client.ts';

/** Makes each pause as long as possible. */
beforeEach(() => void vi.spyOn(Math, 'random').mockReturnValue(1));
afterEach(() => void vi.restoreAllMocks());

test('attempts to reconnect are frequent enough for leases to outlive a port that is closed for 0.4 s', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const attempts: number[] = [];
  const make = () => {
    attempts.push(performance.now());
    throw new Error('the port is closed');
  };
  const link = new ReconnectingClient({ make, timeout: 1_000, setUp: async () => {} });
  onTestFinished(() => link.close());
  link.open().catch(() => {});
  await vi.advanceTimersByTimeAsync(5_000);
  const pauses = attempts.slice(1).map((at, i) => at - (attempts[i] as number));
  expect(pauses.slice(0, 3)).toEqual([25, 50, 100]);
  // The last attempt before the port closes and the first one after it opens may each be one pause away.
  expect(0.4 * GRACE_PERIOD + 2 * Math.max(...pauses)).toBeLessThan(0.9 * GRACE_PERIOD);
});

/** The times between the attempts of half a minute. */
async function pausesOf(make: () => never | Promise<never>): Promise<number[]> {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const attempts: number[] = [];
  const counted = () => {
    attempts.push(performance.now());
    return make();
  };
  const link = new ReconnectingClient({ make: counted, timeout: 1_000, setUp: async () => {} });
  onTestFinished(() => link.close());
  link.open().catch(() => {});
  await vi.advanceTimersByTimeAsync(30_000);
  return attempts.slice(1).map((at, i) => at - (attempts[i] as number));
}

test('attempts become less and less frequent if a server refuses the connection', async () => {
  const pauses = await pausesOf(() => {
    throw Object.assign(new Error('role "app" is not permitted to log in'), { code: '28000' });
  });
  expect(pauses.slice(0, 9)).toEqual([25, 50, 100, 200, 400, 800, 1_600, 2_000, 2_000]);
});

test('processes that have lost the server together do not return together', async () => {
  vi.mocked(Math.random).mockReturnValueOnce(0).mockReturnValueOnce(0.5);
  const pauses = await pausesOf(() => {
    throw new Error('the port is closed');
  });
  expect(pauses.slice(0, 3)).toEqual([12, 37, 100]);
});

test('a `connect` function that never returns a client does not prevent further attempts', async () => {
  const pauses = await pausesOf(() => new Promise<never>(() => {}));
  expect(pauses.length).toBeGreaterThan(3);
  expect(Math.max(...pauses)).toBeLessThan(6_000);
});
