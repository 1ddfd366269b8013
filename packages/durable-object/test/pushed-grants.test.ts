import { LimitObject } from '@headgate/durable-object';
import { encode } from '@headgate/store-kit';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { SimulatedStorage } from './simulated-storage.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: 1_800_000_000_000 }));
afterEach(() => void vi.useRealTimers());

it('the response that would push a grant ends when its waiter has expired', async () => {
  const object = new LimitObject({ storage: new SimulatedStorage() });
  const ref = { name: 'expires', limit: 1, version: '' };
  const terms = { queueLimit: 9, weight: 1, resized: false, extraTokens: 0, reserves: false };
  const acquire = (id: string, wait: number) => {
    const ops = [{ verb: 'acquire', lease: { ref, id: `owner.${id}`, wait, ...terms } }];
    const body = encode({ leaseDuration: 10_000, ops });
    return object.fetch(new Request('http://object/', { method: 'POST', body }));
  };
  await acquire('held', 0);
  const waiting = await acquire('waiting', 1_000);
  vi.setSystemTime(Date.now() + 2_000);
  await acquire('next', 0);
  const lines = (await waiting.text()).trim().split('\n');
  expect(lines).toEqual([expect.stringContaining('"queued"')]);
});
