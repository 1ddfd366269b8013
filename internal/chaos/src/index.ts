export { run } from './command-line.ts';
export type { Environment, EnvironmentOptions, StoreUnderTest, Times } from './environment.ts';
export { type Fault, type FaultContext, forgetting } from './faults/fault.ts';
export { freeze, onServers, partOfLease } from './faults/servers.ts';
export { stamp } from './log/stamp.ts';
export { oneServer, type Verifier } from './one-server.ts';
export { chaosSuite } from './suite.ts';
export type { WorkerSlot } from './workers.ts';
