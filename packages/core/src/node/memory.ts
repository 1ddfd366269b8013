import { totalmem } from 'node:os';
import { getHeapStatistics } from 'node:v8';

/**
 * Which part of the requests must be shed to stay below the ceilings: from none at a ceiling to all where nothing is left.
 *
 * @param maxHeap Part of V8's heap limit.
 * @param maxRss Part of the memory that the process may have.
 */
export function memoryPressure(maxHeap: number | undefined, maxRss: number | undefined): number {
  return Math.max(
    maxHeap === undefined ? 0 : above(maxHeap, heapInUse()),
    maxRss === undefined ? 0 : above(maxRss, process.memoryUsage.rss() / memoryLimit()),
  );
}

export function above(ceiling: number, used: number): number {
  if (used < ceiling) return 0;
  return used >= 1 ? 1 : (used - ceiling) / (1 - ceiling);
}

function heapInUse(): number {
  const { used_heap_size, heap_size_limit } = getHeapStatistics();
  return used_heap_size / heap_size_limit;
}

/** Bytes: the container's share, where it has one; else the machine's. */
export function memoryLimit(
  share: number | undefined = process.constrainedMemory(),
  machine: number = totalmem(),
): number {
  // Where there is no limit it is 0, or more than any machine has.
  return share !== undefined && share > 0 && share < machine ? share : machine;
}
