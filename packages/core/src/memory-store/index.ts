export type { Journal } from './lease-table.ts';
export { type LimitMemory, newMemory } from './limit-memory.ts';
export { Memory, type MemoryOptions } from './memory.ts';
export { MemoryLease } from './memory-lease.ts';
export { MemoryLimit, type Moment, type Notifier } from './memory-limit.ts';
export { type MemoryStoreOptions, memoryStore } from './memory-store.ts';
