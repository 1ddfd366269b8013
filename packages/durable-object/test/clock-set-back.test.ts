import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { SimulatedObject } from './simulated-object.ts';

const LEASE_MS = 10_000;
const HOUR_MS = 3_600_000;

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: 1_800_000_000_000 }));
afterEach(() => void vi.useRealTimers());

it.each(['moves to a machine whose clock is behind', 'has its clock set back'])(
  'an object that %s frees the permits of a dead isolate within a lease',
  async (how) => {
    const object = new SimulatedObject(LEASE_MS);
    await object.do('acquire', 'dead');
    vi.setSystemTime(Date.now() - HOUR_MS);
    if (how.startsWith('moves')) object.evict();
    expect(await object.do('acquire', 'next')).toMatchObject({ state: 'full' });
    vi.setSystemTime(Date.now() + LEASE_MS);
    expect(await object.do('acquire', 'next')).toMatchObject({ state: 'held', reclaimed: 1 });
  },
);

it('an object whose clock is set back keeps the permits of living isolates', async () => {
  const object = new SimulatedObject(LEASE_MS);
  const { fencing = 0n } = await object.do('acquire', 'alive');
  vi.setSystemTime(Date.now() - HOUR_MS);
  for (let renewal = 0; renewal < 4; renewal++) {
    expect(await object.do('renew', 'alive')).toMatchObject({ state: 'held', fencing });
    vi.setSystemTime(Date.now() + LEASE_MS / 3);
  }
  expect((await object.do('release', 'alive')).state).toBe('ok');
  // Tokens keep rising.
  expect((await object.do('acquire', 'next')).fencing).toBeGreaterThan(fencing);
});
