export { checkNames, checkSpan } from '../checks.ts';
export { invalid } from '../errors.ts';
export type {
  Answer,
  Capabilities,
  Grant,
  LeaseRequest,
  LeaseVerb,
  LimitRef,
  Op,
  Reply,
  Standing,
  StoreListener,
  StoreStats,
  StoreTimes,
} from './store.ts';
export { Store } from './store.ts';
export { StoreError } from './store-error.ts';
