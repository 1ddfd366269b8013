export { adapterSuite, basicTopics, worldOfEachTest } from './adapter-suite.ts';
export {
  adapted,
  type FrameworkCapabilities,
  type FrameworkDriver,
  type Method,
  type OnReject,
  type Step,
  type SuiteAdmission,
  type SuiteApp,
  type SuiteContext,
  type SuiteHandler,
  type SuiteLimit,
  type SuiteOptions,
} from './framework.ts';
export { type Busy, busy } from './kit/busy.ts';
export { type Answer, Call, type CallOptions } from './kit/call.ts';
export { ok, Paused } from './kit/handlers.ts';
export { Latch } from './kit/latch.ts';
export { collectErrors, collectWarnings } from './kit/output.ts';
export { RawSocket } from './kit/raw-socket.ts';
export { recordingLimit } from './kit/recording-limit.ts';
export { aRound, counts, until } from './kit/until.ts';
export { VirtualClock } from './kit/virtual-clock.ts';
export { Running, World } from './kit/world.ts';
export type { StoreDriver, SuiteTimes } from './store/driver.ts';
export {
  type CallFault,
  type Faults,
  FaultyStore,
  faultyStore,
  type MessageFault,
} from './store/faulty-store.ts';
export type {
  InterleavingDriver,
  InterleavingOptions,
  InterleavingServer,
} from './store/interleavings/driver.ts';
export { interleavingSuite } from './store/interleavings/interleaving-suite.ts';
export { Network, type Request } from './store/interleavings/network.ts';
export { storeSuite } from './store/store-suite.ts';
