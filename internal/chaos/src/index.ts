export { run } from './command-line.ts';
export type { Place } from './crew.ts';
export { type Fault, forgetting, type Stage } from './faults/fault.ts';
export { freeze, onServers, partOfLease } from './faults/servers.ts';
export type { Ground, GroundOptions, Subject, Times } from './ground.ts';
export { stamp } from './log/stamp.ts';
export { oneServer, type Verifier } from './one-server.ts';
export { chaosSuite } from './suite.ts';
