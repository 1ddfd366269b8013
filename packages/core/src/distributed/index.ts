export { maxTimer } from '../clock.ts';
export { outsideRequest } from '../outside-request.ts';
export { StoreError } from '../semaphore/rejection.ts';
export type {
  Answer,
  Capabilities,
  Grant,
  LeaseRequest,
  LeaseStore,
  LeaseVerb,
  LimitName,
  LimitRef,
  Op,
  OperatedChange,
  OperatedState,
  Reply,
  StoreListener,
  StoreStats,
} from './contract.ts';
export { certainPart, SET_NOW } from './contract.ts';
export type { StoreActivity } from './lease/store-activity.ts';
export { limitTime } from './limit-time.ts';
export { operatedCode, operatedCodes, operatedState } from './operated-code.ts';
export { answerOfRepeated } from './repeated-release.ts';
export { Store } from './store.ts';
export { checkTimes, fullCapabilities, type StoreOptions } from './store-kit.ts';
export { SubscriptionProbe } from './subscription-probe.ts';
export { within } from './within.ts';
