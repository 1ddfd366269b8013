export { Memory, type MemoryOptions } from './memory.ts';
export { type MemoryStoreOptions, memoryStore } from './memory-store.ts';
