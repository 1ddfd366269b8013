export { adapterSuite, basicTopics, worldOfEachTest } from './adapter-suite.ts';
export {
  adapted,
  type FrameworkDriver,
  type OnReject,
  type Step,
  type SuiteApp,
  type SuiteContext,
  type SuiteOptions,
} from './framework.ts';
export { busy } from './kit/busy.ts';
export { Call } from './kit/call.ts';
export { Paused } from './kit/handlers.ts';
export { Latch } from './kit/latch.ts';
export { RawSocket } from './kit/raw-socket.ts';
export { counts, until } from './kit/until.ts';
export { VirtualClock } from './kit/virtual-clock.ts';
export type { StoreDriver, SuiteTimes } from './store/driver.ts';
export { faultyStore } from './store/faulty-store.ts';
export type { InterleavingOptions, InterleavingServer } from './store/interleavings/driver.ts';
export { interleavingSuite } from './store/interleavings/interleaving-suite.ts';
export { Network } from './store/interleavings/network.ts';
export { storeSuite } from './store/store-suite.ts';
