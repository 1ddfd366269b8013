// The load generator of the repository: `headgate try` and the benchmarks use it. Not published as an entry point.
export { type Arrival, arrivals, type Phase } from './arrivals.ts';
export { type Call, Clients, type Outcome } from './clients.ts';
export { type Closed, closedLoop, slope } from './closed-loop.ts';
export { type Attempt, openLoop } from './open-loop.ts';
export { quantile } from './quantile.ts';
