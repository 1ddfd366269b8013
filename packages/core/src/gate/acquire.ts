import {
  Acquisition,
  type Callback,
  callNow,
  checkCallback,
  QueuedCall,
  type SignalWaiter,
} from '../limiter/acquire.ts';
import type { Permit } from '../semaphore/permit.ts';
import { demandsFrom } from './demands.ts';
import { checkGateWaitOptions, type Gate, type GateWaitOptions } from './gate.ts';

/** Requests a permit of all limits of a gate, and resolves to it. */
export function acquireFromGate(gate: Gate, options: GateWaitOptions = {}): Promise<Permit> {
  return new Promise((resolve, reject) => {
    checkGateWaitOptions('acquire', options);
    request(new Acquisition(resolve, reject), gate, options);
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
    request(new QueuedCall(fn, resolve), gate, options);
  }).then(callNow);
}

function request(waiter: SignalWaiter, gate: Gate, options: GateWaitOptions): void {
  options.signal?.throwIfAborted();
  const demands = demandsFrom(gate.limits, options);
  waiter.waitWith(options, gate);
  gate.request(waiter, demands);
}
