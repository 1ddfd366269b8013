import { expect, onTestFinished, test, vi } from 'vitest';
import { HostClock } from '../src/host-clock.ts';
import { useServer } from './use-server.ts';

const service = useServer({ A: 1 });

/** Long enough for a restart of the service before the first renewal. */
const leaseDuration = 3_000;

/** The wall clock advances by this, and the monotonic one does not, as after a suspension of the host. */
function suspend(milliseconds: number): void {
  const now = Date.now;
  const spy = vi.spyOn(Date, 'now').mockImplementation(() => now() + milliseconds);
  onTestFinished(() => spy.mockRestore());
}

async function expectLost(signal: AbortSignal): Promise<void> {
  await vi.waitFor(() => expect(signal.aborted).toBe(true), 2 * leaseDuration);
  expect(signal.reason).toMatchObject({ code: 'ERR_HEADGATE_LEASE_LOST' });
  await vi.waitFor(async () => expect(await service.acquired('A')).toBe(0), 10_000);
}

test('a lock that the service has lost while the host was suspended is lost if it has expired meanwhile', async () => {
  const lock = await service.connect({ leaseDuration }).lock('A');
  await service.restart();
  suspend(leaseDuration);
  await expectLost(lock.signal);
});

test('HostClock advances with the monotonic clock, and by the time for which the host was suspended', () => {
  const time = { monotonic: 0, wall: 1_000_000 };
  const spy = vi.spyOn(Date, 'now').mockImplementation(() => time.wall);
  onTestFinished(() => spy.mockRestore());
  const clock = new HostClock({ now: () => time.monotonic });
  const pass = (monotonic: number, wall: number) => {
    time.monotonic += monotonic;
    time.wall += wall;
    return clock.now();
  };
  expect(pass(0, 0)).toBe(0);
  expect(pass(100, 100)).toBe(100);
  expect(pass(0, 60_000)).toBe(60_100);
  // Corrections of the wall clock.
  expect(pass(100, 900)).toBe(60_200);
  expect(pass(100, 900)).toBe(60_300);
  expect(pass(100, -60_000)).toBe(60_400);
  expect(pass(100, 100)).toBe(60_500);
});
