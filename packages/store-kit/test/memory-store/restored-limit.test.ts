import { expect, it } from 'vitest';
import type { LeaseRequest, Op } from '../../src/index.ts';
import { MemoryLease, MemoryLimit, newMemory } from '../../src/memory-store/index.ts';

const moment = { now: 1000, micros: 1_000_000, leaseDuration: 3000 };

function lease(id: string, values: Partial<MemoryLease>): MemoryLease {
  return Object.assign(new MemoryLease(id, 1), { expires: 4000, ends: 4000 }, values);
}

/** A limit that its store has saved, and reads again in another process. */
function restored(leases: MemoryLease[], limit = 2) {
  const granted: string[] = [];
  const notifier = {
    granted: ({ id }: MemoryLease) => void granted.push(id),
    recall: () => {},
    operated: () => {},
  };
  const memory = { ...newMemory(0), limit, version: limit === 0 ? 0 : 7 };
  return { granted, limit: new MemoryLimit(notifier, memory, undefined, leases) };
}

it('a restored limit counts its leases and keeps the order of its queue', () => {
  const { granted, limit } = restored([
    lease('b.2', { place: 20 }),
    lease('a.1', { fencing: 5n, weight: 2 }),
    lease('c.3', { place: 10 }),
  ]);
  expect(limit.stats(moment)).toEqual({
    ...{ limit: 2, version: '7', inflight: 2, holders: 1, processes: 3, queued: 2 },
    longestWait: 999.99,
  });
  const ref = { name: 'one', limit: 2, version: '7' };
  const release = { ref, id: 'a.1', weight: 2, wait: 0 } as LeaseRequest;
  limit.do({ verb: 'release', lease: release } as Op, moment);
  expect(granted).toEqual(['c.3', 'b.2']);
});

it('a limit that was never declared has no version', () => {
  expect(restored([], 0).limit.stats(moment)).toMatchObject({ limit: 0, version: '' });
});
