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
  LimitState,
  Op,
  OperatedChange,
  OperatedState,
  Reply,
  StoreListener,
  StoreStats,
  StoreTimes,
} from './contract.ts';
export { certainPart, SET_NOW } from './contract.ts';
export type { StoreActivity } from './lease/store-activity.ts';
export { limitTime } from './limit-time.ts';
export { isLater, operatedCode, operatedCodes, operatedState } from './operated-code.ts';
export { answerOfRepeated } from './repeated-release.ts';
export { Store } from './store.ts';
export { checkTimes, fullCapabilities } from './store-kit.ts';
export { SubscriptionProbe, type SubscriptionProbeOptions } from './subscription-probe.ts';
export { within } from './within.ts';
