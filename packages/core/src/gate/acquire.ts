import { Acquisition } from '../limiter/acquisition.ts';
import { checkAskedOfGate } from '../limiter/asking.ts';
import type { Permit } from '../limiter/permit.ts';
import type { Gate, GateWaitOptions } from './gate.ts';
import { takesFrom } from './takes.ts';

/** Requests a permit from a gate for a caller that awaits a promise. */
export function acquireAt(gate: Gate, options: GateWaitOptions = {}): Promise<Permit> {
  return new Promise((resolve, reject) => {
    checkAskedOfGate('acquire', options);
    options.signal?.throwIfAborted();
    const takes = takesFrom(gate.limits, options);
    const waiter = new Acquisition(gate, resolve, reject, options.signal);
    waiter.queueTimeout = options.queueTimeout;
    if (options.party !== undefined) waiter.party = options.party;
    if (options.priority !== undefined) waiter.priority = options.priority;
    gate.request(waiter, takes);
  });
}
