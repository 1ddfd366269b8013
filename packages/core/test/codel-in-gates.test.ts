import { Caller } from '@headgate/test-kit/caller';
import { VirtualClock } from '@headgate/test-suite';
import { expect, it } from 'vitest';
import { codel, createGate } from '../src/index.ts';
import { type Amounts, askGate } from './ask-gate.ts';

it('codel() ignores how long a waiter was queued at an earlier limit', () => {
  const clock = new VirtualClock();
  const limits = [
    { name: 'narrow', limit: 1, optional: true },
    { name: 'app', limit: 2 },
  ];
  const settings = { queueLimit: 9, queueTimeout: Infinity, clock };
  const gate = createGate({ ...settings, limits, order: codel({ target: 5, interval: 100 }) });
  const ask = (...amounts: Amounts) => {
    const caller = new Caller();
    askGate(gate, caller, amounts);
    return caller;
  };
  ask(undefined, { weight: 1 });
  const [first, traveller] = [ask({ weight: 1 }, { weight: 1 }), ask({ weight: 1 }, { weight: 1 })];
  clock.advance(500);
  Object.values(gate.limiters)[1]?.setLimit(1);
  first.permit?.release();
  ask(undefined, { weight: 1 });
  expect(traveller.rejection).toBeUndefined();
  expect(gate.queued).toBe(2);
});
