import { Caller } from '@headgate/test-kit/caller';
import { expect, it } from 'vitest';
import {
  byPriority,
  createGate,
  createLimiter,
  type LimiterOptions,
  lifo,
  type Priority,
} from '../src/index.ts';
import { askGate } from './ask-gate.ts';

/** A limiter with a limit of 4, where a waiter of a higher class may overtake one that does not fit yet. */
function scene(options: Partial<LimiterOptions> = {}) {
  const limiter = createLimiter({ limit: 4, queueLimit: 99, order: byPriority(), ...options });
  const ask = (weight: number, priority: Priority = 'normal') => {
    const caller = new Caller({ weight });
    caller.priority = priority;
    limiter.request(caller);
    return caller;
  };
  return { limiter, ask };
}

it('no lighter waiter is admitted before a waiter that does not fit yet, whatever its class', () => {
  const { ask } = scene();
  ask(3);
  ask(2);
  expect([ask(1), ask(1, 'critical')].map(({ answers }) => answers)).toEqual([0, 0]);
});

it('a heavy waiter of a higher class does not overtake a waiter that does not fit yet', () => {
  const { ask } = scene();
  ask(2);
  const held = ask(1);
  const first = ask(2);
  const second = ask(2, 'critical');
  held.permit?.release();
  expect([first.answers, second.answers]).toEqual([1, 0]);
});

it('an older waiter of a lower class from an earlier limit does not overtake a waiter that does not fit yet', () => {
  const limits = [
    { name: 'narrow', limit: 1, optional: true },
    { name: 'app', limit: 4 },
  ];
  const gate = createGate({ limits, queueLimit: 99, order: byPriority() });
  const ask = (weight: number, priority: Priority, isNarrow = false) => {
    const caller = new Caller();
    caller.priority = priority;
    askGate(gate, caller, [isNarrow ? { weight: 1 } : undefined, { weight }]);
    return caller;
  };
  const inNarrow = ask(1, 'normal', true);
  const held = ask(2, 'normal');
  const early = ask(1, 'low', true);
  const heavy = ask(4, 'normal');
  const higher = ask(4, 'critical');
  inNarrow.permit?.release();
  held.permit?.release();
  expect([early, heavy, higher].map(({ answers }) => answers)).toEqual([0, 1, 0]);
});

it('a waiter that does not fit yet is not displaced by a new request', () => {
  const { ask } = scene({ order: lifo(), queueLimit: 1 });
  ask(3);
  const heavy = ask(2);
  expect([ask(1).rejection?.reason, heavy.answers]).toEqual(['full', 0]);
});

it('a waiter that fits is admitted once the waiter ahead, which does not fit, is withdrawn', () => {
  const { limiter, ask } = scene({ order: lifo() });
  ask(3);
  const heavy = ask(2);
  const light = ask(1);
  expect(light.answers).toBe(0);
  limiter.withdraw(heavy);
  expect(light.answers).toBe(1);
});
