import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Heap } from '../../src/state/heap.ts';

it('a heap returns its lowest item after any additions, moves and deletions', () => {
  const step = fc.record({ item: fc.nat(9), rank: fc.nat(20), isKept: fc.boolean() });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60, size: 'max' }), (steps) => {
      const ranks = new Map<number, number>();
      const heap = new Heap<number>((item) => ranks.get(item) ?? Number.NaN);
      for (const { item, rank, isKept } of steps) {
        if (isKept) {
          ranks.set(item, rank);
          heap.add(item);
        } else {
          heap.delete(item);
          ranks.delete(item);
        }
        const least = ranks.size === 0 ? undefined : Math.min(...ranks.values());
        const { first } = heap;
        expect([heap.size, first === undefined ? undefined : ranks.get(first)]).toEqual([
          ranks.size,
          least,
        ]);
      }
    }),
  );
});
