import { createLimiter } from '@headgate/core';
import type { Op } from '@headgate/store-kit';
import { memoryStore } from '@headgate/store-kit/memory-store';
import { expect, it } from 'vitest';
import { faultyStore, VirtualClock } from '../src/index.ts';
import { aRound, collectWarnings } from '../src/kit/index.ts';
import type { CallFault } from '../src/store/faulty-store.ts';

const policies = ['reject', 'admit', 'local'] as const;
const each: Record<string, (ops: readonly Op[], call: number) => CallFault | undefined> = {
  'every other call': (_, call) => (call % 2 === 0 ? 'fail' : undefined),
  // As if one node of a cluster is down and the others are not.
  'calls for one key': (ops) => {
    const isDown = ops.some((op) => op.verb !== 'declare' && op.lease.ref.key === 'down');
    return isDown ? 'fail' : undefined;
  },
};

it.each(policies.flatMap((policy) => Object.keys(each).map((name) => [name, policy] as const)))(
  'a distributed limit does not retry endlessly while %s fails (%s)',
  async (name, onStoreError) => {
    const warnings = collectWarnings('HEADGATE_STORE');
    const clock = new VirtualClock();
    const store = faultyStore(memoryStore({ clock, leaseDuration: 3000, timeout: 300 }));
    const options = { limit: 2, queueLimit: 20, queueTimeout: 700, perKey: true, onStoreError };
    const limiter = createLimiter({ name: 'flapping', ...options, clock, store });
    for (const key of ['up', 'down', 'down', 'down']) {
      limiter.acquire({ key }).catch(() => {});
      await aRound();
    }
    const before = store.calls;
    // Limits the faults, so that the test ends even if the retries do not.
    const failing = (ops: readonly Op[]) =>
      store.calls - before < 500 ? each[name]?.(ops, store.calls - before) : undefined;
    store.faults = { call: failing };
    limiter.acquire({ key: 'up' }).catch(() => {});
    limiter.acquire({ key: 'down' }).catch(() => {});
    for (let round = 0; round < 20; round++) await aRound();
    expect(store.calls - before).toBeLessThan(20);
    for (let round = 0; round < 20; round++) {
      clock.advance(store.timeout / 20);
      await aRound();
    }
    expect(store.calls - before).toBeLessThan(60);
    expect(warnings).toHaveLength(name === 'every other call' ? 0 : 1);
  },
);
