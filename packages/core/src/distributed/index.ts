export { maxTimer } from '../clock.ts';
export { StoreError } from '../semaphore/rejection.ts';
export { certainPart } from './lease-parts.ts';
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
export { SubscriptionProbe, type SubscriptionProbeOptions } from './subscription-probe.ts';
export { within } from './within.ts';
