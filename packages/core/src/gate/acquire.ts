import { Acquisition } from '../limiter/acquire.ts';
import { checkGateAcquireOptions } from '../limiter/acquire-options.ts';
import type { Permit } from '../semaphore/permit.ts';
import { demandsFrom } from './demands.ts';
import type { Gate, GateWaitOptions } from './gate.ts';

/** Requests a permit from a gate for a caller that awaits a promise. */
export function acquireAt(
  gate: Gate,
  options: GateWaitOptions = {},
  owner = 'acquire',
): Promise<Permit> {
  return new Promise((resolve, reject) => {
    checkGateAcquireOptions(owner, options);
    options.signal?.throwIfAborted();
    const demands = demandsFrom(gate.limits, options);
    const waiter = new Acquisition(gate, resolve, reject, options.signal);
    waiter.queueTimeout = options.queueTimeout;
    if (options.fairBy !== undefined) waiter.fairBy = options.fairBy;
    if (options.priority !== undefined) waiter.priority = options.priority;
    gate.request(waiter, demands);
  });
}
