import {
  Acquisition,
  type Callback,
  callNow,
  checkCallback,
  QueuedCall,
  type SignalWaiter,
} from '../limiter/acquire.ts';
import { checkOrderOption } from '../limiter/acquire-options.ts';
import type { Permit } from '../semaphore/permit.ts';
import { demandsFrom } from './demands.ts';
import { checkGateWaitOptions, type GateWaitOptions, type InternalGate } from './gate.ts';

/** Requests a permit of all limits of a gate, and resolves to it. */
export function acquireFromGate(
  gate: InternalGate,
  options: GateWaitOptions = {},
): Promise<Permit> {
  return new Promise((resolve, reject) => {
    checkGateWaitOptions('acquire', options);
    request(new Acquisition(resolve, reject), gate, options);
  });
}

/** Acquires a permit of all limits of a gate, and calls `fn` with it. */
export function runInGate<T>(
  gate: InternalGate,
  fn: Callback<T>,
  options: GateWaitOptions = {},
): Promise<T> {
  return new Promise<QueuedCall<T>>((resolve) => {
    checkCallback(fn);
    checkGateWaitOptions('run', options);
    request(new QueuedCall(fn, resolve), gate, options);
  }).then(callNow);
}

/**
 * @throws HeadgateError for an option that all limits of the gate ignore. `priority` is allowed if there is a guard.
 */
function checkOrderOptions(
  { guard, limits }: InternalGate,
  { priority, fairBy }: GateWaitOptions,
): void {
  if (priority === undefined && fairBy === undefined) return;
  const limiters = limits.map(({ limiter }) => limiter);
  if (guard === undefined) checkOrderOption('priority', priority, limiters);
  if (limiters.length > 0) checkOrderOption('fairBy', fairBy, limiters);
}

function request(waiter: SignalWaiter, gate: InternalGate, options: GateWaitOptions): void {
  const { signal } = options;
  if (signal?.aborted) return waiter.fail(signal.reason);
  checkOrderOptions(gate, options);
  const demands = demandsFrom(gate.limits, options);
  waiter.waitWith(options, gate);
  gate.request(waiter, demands);
}
