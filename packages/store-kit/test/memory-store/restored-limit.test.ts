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
  const known = { limit, version: limit === 0 ? 0 : 7, longestLease: 3000 };
  const memory = { ...newMemory(0), ...known };
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

it('an operation reads a few leases, however many are held or wait', () => {
  let reads = 0;
  const many = Array.from({ length: 2_000 }, (_, n) => {
    const own = lease(`a.${n}`, n < 1_000 ? { fencing: BigInt(n + 1) } : { place: n });
    return new Proxy(own, {
      get: (target, name) => {
        reads += 1;
        return Reflect.get(target, name);
      },
    });
  });
  const { limit } = restored(many, 1_000);
  const ref = { name: 'one', limit: 1_000, version: '7' };
  const rest = { ref, weight: 1, wait: 5_000, queueLimit: 9_999, extraTokens: 0, resized: false };
  const request = (verb: string, id: string) =>
    limit.do({ verb, lease: { ...rest, id, reserves: false } } as Op, moment);
  // The first call looks at all leases: they may be from a clock that was ahead.
  limit.stats(moment);
  reads = 0;
  expect(request('release', 'a.7').state).toBe('ok');
  expect(request('stay', 'a.1500').state).toBe('queued');
  expect(request('acquire', 'b.1').state).toBe('queued');
  expect(limit.stats(moment)).toMatchObject({ holders: 1_000, queued: 1_000, processes: 2 });
  expect(reads).toBeLessThan(200);
});
