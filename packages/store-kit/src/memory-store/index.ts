export { newMemory } from './limit-memory.ts';
export { Memory } from './memory.ts';
export { MemoryLease } from './memory-lease.ts';
export { MemoryLimit } from './memory-limit.ts';
export { type MemoryStoreOptions, memoryStore } from './memory-store.ts';
