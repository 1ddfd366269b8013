import fc from 'fast-check';
import { expect, it } from 'vitest';
import { MemoryLease } from '../../src/memory-store/index.ts';
import { LeaseTable } from '../../src/memory-store/lease-table.ts';

const step = fc.record({
  id: fc.nat(9).map((id) => `${'ab'[id % 2]}.${id}`),
  isKept: fc.boolean(),
  weight: fc.integer({ min: 1, max: 3 }),
  expires: fc.nat(20),
  isHeld: fc.boolean(),
  reserves: fc.boolean(),
});

it('a table knows its sums and which lease is next, after any additions, changes and removals', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60, size: 'max' }), (steps) => {
      const table = new LeaseTable(undefined);
      const leases = new Map<string, MemoryLease>();
      for (const [place, { id, isKept, isHeld, ...rest }] of steps.entries()) {
        const known = leases.get(id);
        const lease = known ?? new MemoryLease(id, rest.weight);
        // A held lease never returns to the queue, and a queued one keeps its place.
        const values = { ...rest, fencing: isHeld || known?.isHeld ? 1n : undefined };
        if (known === undefined) table.add(Object.assign(lease, values, { place }));
        else if (isKept) table.change(lease, () => void Object.assign(lease, values));
        else table.remove(lease);
        if (known === undefined || isKept) leases.set(id, lease);
        else leases.delete(id);
        check(table, [...leases.values()]);
      }
    }),
  );
});

function check(table: LeaseTable, leases: readonly MemoryLease[]): void {
  const held = leases.filter(({ isHeld }) => isHeld);
  const queued = leases.filter(({ isHeld }) => !isHeld);
  const owners = (some: readonly MemoryLease[]) => [...new Set(some.map(({ owner }) => owner))];
  const next = (some: readonly MemoryLease[]) => Math.min(...some.map(({ expires }) => expires));
  expect({
    size: table.size,
    inflight: table.inflight,
    queued: table.queued,
    owners: [...table.owners].sort(),
    reserving: [...table.reserving].sort(),
    first: table.first?.place,
    nextHeldExpiry: table.nextHeldExpiry,
    nextExpiry: table.nextExpiry,
    expired: table.expired(10) !== undefined,
  }).toEqual({
    size: leases.length,
    inflight: held.reduce((sum, { weight }) => sum + weight, 0),
    queued: queued.length,
    owners: owners(leases).sort(),
    reserving: owners(held.filter(({ reserves }) => reserves)).sort(),
    first: queued.sort((one, other) => one.place - other.place)[0]?.place,
    nextHeldExpiry: next(held),
    nextExpiry: next(leases),
    expired: next(leases) <= 10,
  });
  if (next(leases) <= 10) expect(table.expired(10)?.expires).toBeLessThanOrEqual(10);
}
