export {
  checkCount,
  checkDuration,
  checkNames,
  checkSpan,
  checkText,
  checkToken,
} from '../checks.ts';
export { maxTimer } from '../clock.ts';
export { HeadgateError, invalid, invalidSecret } from '../errors.ts';
export { StoreError } from '../semaphore/rejection.ts';
export { nearest } from '../suggestion.ts';
export type {
  Answer,
  Capabilities,
  Grant,
  LeaseRequest,
  LeaseStore,
  LeaseVerb,
  LimitName,
  LimitRef,
  LimitState,
  Op,
  Reply,
  StoreListener,
  StoreStats,
  StoreTimes,
} from './contract.ts';
export { certainPart } from './contract.ts';
export { Heap } from './heap.ts';
export { Memory, type MemoryOptions } from './memory.ts';
export { type MemoryStoreOptions, memoryStore } from './memory-store.ts';
export { Store } from './store.ts';
export { SubscriptionProbe, type SubscriptionProbeOptions } from './subscription-probe.ts';
export { within } from './within.ts';
