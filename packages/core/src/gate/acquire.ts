import { Acquisition, callLater, notCallable } from '../limiter/acquire.ts';
import type { Permit } from '../semaphore/permit.ts';
import { demandsFrom } from './demands.ts';
import { checkGateWaitOptions, type Gate, type GateWaitOptions } from './gate.ts';

/** Requests a permit of all limits of a gate, and resolves to it. */
export function acquireFromGate(
  gate: Gate,
  options: GateWaitOptions = {},
  owner = 'acquire',
): Promise<Permit> {
  return new Promise((resolve, reject) => {
    checkGateWaitOptions(owner, options);
    options.signal?.throwIfAborted();
    const demands = demandsFrom(gate.limits, options);
    const waiter = new Acquisition(gate, resolve, reject, options.signal);
    waiter.queueTimeout = options.queueTimeout;
    if (options.fairBy !== undefined) waiter.fairBy = options.fairBy;
    if (options.priority !== undefined) waiter.priority = options.priority;
    gate.request(waiter, demands);
  });
}

/** Acquires a permit of all limits of a gate, and calls `fn` with it. */
export function runInGate<T>(
  gate: Gate,
  fn: (permit: Permit) => T | PromiseLike<T>,
  options?: GateWaitOptions,
): Promise<T> {
  if (typeof fn !== 'function') return notCallable(fn);
  return callLater(acquireFromGate(gate, options, 'run'), fn, options?.signal);
}
