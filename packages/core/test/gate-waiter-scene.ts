import { Caller, type Wishes } from '@headgate/test-kit/caller';
import { VirtualClock } from '@headgate/test-suite';
import { expect } from 'vitest';
import { createGate, type Gate, type GateOptions } from '../src/index.ts';
import { type Amounts, askGate } from './ask-gate.ts';

export const limits = [
  { name: 'user', limit: 1, perKey: true },
  { name: 'app', limit: 1 },
];

/** A gate of both limits; `ask` requests a permit of each. */
export function gateWith(options: Partial<GateOptions> = {}) {
  const clock = new VirtualClock();
  const gate = createGate({ limits, queueLimit: 9, queueTimeout: 100, clock, ...options });
  const ask = (key: string, wishes?: Wishes) => {
    const caller = new Caller(wishes);
    askGate(gate, caller, demands(key));
    return caller;
  };
  return { clock, gate, ask };
}

/** Requests a weight of the app's limit, without a user. */
export function askFor(gate: Gate, weight: number): Caller {
  const caller = new Caller();
  askGate(gate, caller, [undefined, { weight }]);
  return caller;
}

export const demands = (key: string): Amounts => [{ key, weight: 1 }, { weight: 1 }];

/** Expects that the gate and its limits hold nothing. */
export function expectQuiet(gate: Gate): void {
  expect(gate.stats()).toMatchObject({ holders: 0, queued: 0 });
  for (const limit of gate.stats().limits) {
    expect(limit).toMatchObject({ inflight: 0, queued: 0, keys: 0 });
  }
}
