import { totalmem } from 'node:os';
import { getHeapStatistics } from 'node:v8';

export interface Ceilings {
  /** Parts of what there is, above 0 up to 1. */
  readonly maxHeap: number | undefined;
  readonly maxRss: number | undefined;
}

/** Which part of the requests must be shed to stay below the ceilings: from none at a ceiling to all where nothing is left. */
export function memoryPressure({ maxHeap, maxRss }: Ceilings): number {
  return Math.max(
    maxHeap === undefined ? 0 : above(maxHeap, heapInUse()),
    maxRss === undefined ? 0 : above(maxRss, process.memoryUsage.rss() / memoryLimit()),
  );
}

export function above(ceiling: number, used: number): number {
  if (used < ceiling) return 0;
  return ceiling === 1 ? 1 : Math.min(1, (used - ceiling) / (1 - ceiling));
}

function heapInUse(): number {
  const { used_heap_size, heap_size_limit } = getHeapStatistics();
  return used_heap_size / heap_size_limit;
}

/** Bytes: the container's share, where it has one; else the machine's. */
export function memoryLimit(): number {
  const machine = totalmem();
  // Without a limit it is 0, or more than any machine has.
  const share = process.constrainedMemory() ?? 0;
  return share > 0 && share < machine ? share : machine;
}
