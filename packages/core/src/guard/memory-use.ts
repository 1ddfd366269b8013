import { checkNames, checkPart } from '../checks.ts';
import { builtin } from '../runtime.ts';
import type { Signal } from './guard.ts';

export interface MemoryUseOptions {
  /** Fraction of V8's heap limit (above 0, at most 1) from which requests are shed. Default: 0.9. */
  maxHeap?: number | undefined;
  /**
   * Fraction of the container's memory, or of the machine's if the container has no limit, from which requests are
   * shed. Default: 0.9.
   */
  maxRss?: number | undefined;
}

/**
 * The signal, as a multiple of its target, when all memory is used: priority `critical` tolerates it, `high` does not.
 */
const FULL = 5;

interface V8 {
  getHeapStatistics(): { readonly used_heap_size: number; readonly heap_size_limit: number };
}

interface Os {
  totalmem(): number;
}

/** What is used of `process`. */
interface Process {
  constrainedMemory?(): number | undefined;
  readonly memoryUsage: { rss(): number };
}

/**
 * A signal for `guard()` that sheds requests while the memory of this process runs out, so that the system does not
 * kill it. Where the runtime does not measure its memory, no request is shed.
 *
 * @throws HeadgateError for an unknown or invalid option.
 */
export function memoryUse(options: MemoryUseOptions = {}): Signal {
  checkNames('memoryUse', options, ['maxHeap', 'maxRss']);
  const maxHeap = checkPart('maxHeap', options.maxHeap ?? 0.9);
  const maxRss = checkPart('maxRss', options.maxRss ?? 0.9);
  // Not when this file is imported: node:v8 loads Node's streams, which takes longer than the rest of the core.
  const v8 = builtin<V8>('node:v8');
  const os = builtin<Os>('node:os');
  if (v8 === undefined || os === undefined) return { delay: () => 0, target: 1 };
  const { process } = globalThis as unknown as { process: Process };
  const heap = () => {
    const { used_heap_size, heap_size_limit } = v8.getHeapStatistics();
    return used_heap_size / heap_size_limit;
  };
  const limit = () => memoryLimit(process.constrainedMemory?.(), os.totalmem());
  const rss = () => process.memoryUsage.rss() / limit();
  return { delay: () => Math.max(above(maxHeap, heap()), above(maxRss, rss())), target: 1 };
}

/** The signal, as a multiple of its target: up to 1 below the maximum, and from 1 to FULL above it. */
export function above(max: number, used: number): number {
  if (used < max || max === 1) return Math.min(1, used / max);
  return 1 + (FULL - 1) * Math.min(1, (used - max) / (1 - max));
}

/** The memory available in bytes: the container's limit if it has one, otherwise the machine's memory. */
export function memoryLimit(constrained: number | undefined, machine: number): number {
  // Without a limit, the value is 0 or more than any machine has.
  return constrained !== undefined && constrained > 0 && constrained < machine
    ? constrained
    : machine;
}
