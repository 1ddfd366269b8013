export { StoreError } from '@headgate/core';
export type { StoreActivity } from '@headgate/core/engine';
export { maxTimer, outsideRequest } from '@headgate/core/engine';
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
export { Backoff } from './lease/backoff.ts';
export { answerOfRepeated } from './lease/repeated-release.ts';
export { limitTime, within } from './limit-time.ts';
export { operatedCode, operatedCodes, operatedState } from './operated-code.ts';
export { Store } from './store.ts';
export { checkTimes, type StoreOptions } from './store-kit.ts';
export { SubscriptionProbe } from './subscription-probe.ts';
export { decode, encode } from './wire.ts';
