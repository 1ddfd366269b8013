import {
  Acquisition,
  type Callback,
  callNow,
  checkCallback,
  QueuedCall,
} from '../limiter/acquire.ts';
import type { Permit } from '../semaphore/permit.ts';
import type { Waiter } from '../semaphore/waiter.ts';
import { demandsFrom } from './demands.ts';
import { checkGateWaitOptions, type Gate, type GateWaitOptions } from './gate.ts';

/** Requests a permit of all limits of a gate, and resolves to it. */
export function acquireFromGate(gate: Gate, options: GateWaitOptions = {}): Promise<Permit> {
  return new Promise((resolve, reject) => {
    checkGateWaitOptions('acquire', options);
    request(new Acquisition(gate, options.signal, resolve, reject), gate, options);
  });
}

/** Acquires a permit of all limits of a gate, and calls `fn` with it. */
export function runInGate<T>(
  gate: Gate,
  fn: Callback<T>,
  options: GateWaitOptions = {},
): Promise<T> {
  return new Promise<QueuedCall<T>>((resolve) => {
    checkCallback(fn);
    checkGateWaitOptions('run', options);
    request(new QueuedCall(gate, options.signal, fn, resolve), gate, options);
  }).then(callNow);
}

function request(waiter: Waiter, gate: Gate, options: GateWaitOptions): void {
  options.signal?.throwIfAborted();
  const demands = demandsFrom(gate.limits, options);
  if (options.queueTimeout !== undefined) waiter.queueTimeout = options.queueTimeout;
  if (options.fairBy !== undefined) waiter.fairBy = options.fairBy;
  if (options.priority !== undefined) waiter.priority = options.priority;
  gate.request(waiter, demands);
}
