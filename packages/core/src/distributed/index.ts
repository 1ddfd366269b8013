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
export { Heap } from './heap.ts';
export { certainPart } from './lease-parts.ts';
export { Memory, type MemoryOptions } from './memory.ts';
export { type MemoryStoreOptions, memoryStore } from './memory-store.ts';
export type {
  Answer,
  Capabilities,
  Grant,
  LeaseRequest,
  LeaseVerb,
  LimitName,
  LimitRef,
  LimitState,
  Op,
  Reply,
  StoreListener,
  StoreStats,
  StoreTimes,
} from './store.ts';
export { Store } from './store.ts';
export { checkTimes, fullCapabilities } from './store-kit.ts';
export { SubscriptionProbe, type SubscriptionProbeOptions } from './subscription-probe.ts';
export { within } from './within.ts';
