export type { Journal } from './lease-table.ts';
export { Memory, type MemoryOptions } from './memory.ts';
export { MemoryLease } from './memory-lease.ts';
export {
  type LimitMemory,
  MemoryLimit,
  type Moment,
  newMemory,
  type Post,
} from './memory-limit.ts';
export { type MemoryStoreOptions, memoryStore } from './memory-store.ts';
