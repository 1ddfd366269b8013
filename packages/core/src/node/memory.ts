import { totalmem } from 'node:os';
import { getHeapStatistics } from 'node:v8';

/**
 * The fraction of requests to shed to stay below the ceilings, rising from 0 at a ceiling to 1 at the limit.
 *
 * @param maxHeap Fraction of V8's heap limit.
 * @param maxRss Fraction of the memory available to the process.
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

/** The memory available in bytes: the container's limit if it has one, otherwise the machine's memory. */
export function memoryLimit(
  constrained: number | undefined = process.constrainedMemory(),
  machine: number = totalmem(),
): number {
  // Without a limit, the value is 0 or more than any machine has.
  return constrained !== undefined && constrained > 0 && constrained < machine
    ? constrained
    : machine;
}
