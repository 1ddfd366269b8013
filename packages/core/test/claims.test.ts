import { expect, it } from 'vitest';
import { byPriority, createLimiter, type Priority } from '../src/index.ts';
import { Caller } from './caller.ts';

/** A limiter with a limit of 4, where a waiter of a higher class may pass one that has the claim. */
function scene() {
  const limiter = createLimiter({ limit: 4, queueLimit: 99, order: byPriority() });
  const ask = (weight: number, priority: Priority = 'normal') => {
    const caller = new Caller({ weight });
    caller.priority = priority;
    limiter.request(caller);
    return caller;
  };
  return { limiter, ask };
}

it('a lighter waiter of a higher class is admitted before a waiter that does not fit yet', () => {
  const { ask } = scene();
  ask(3);
  const heavy = ask(2);
  const light = ask(1, 'critical');
  expect([heavy.answers, light.answers]).toEqual([0, 1]);
});

it('a waiter that does not fit yet is passed by twice the limit at most, and so is its successor', () => {
  const { limiter, ask } = scene();
  const held = ask(3);
  const first = ask(2);
  const passes = () => {
    const light = ask(1, 'critical');
    light.permit?.release();
    return light.answers === 1;
  };
  expect(Array.from({ length: 9 }, passes)).toEqual([...Array(8).fill(true), false]);
  const successor = ask(2);
  limiter.withdraw(first);
  // The waiter that did not pass has the room now.
  expect(limiter.inflight).toBe(4);
  expect([passes(), successor.answers]).toEqual([false, 0]);
  held.permit?.release();
  expect(successor.answers).toBe(1);
});

it.each([
  { idle: 2, answers: 1 },
  { idle: 3, answers: 0 },
])(
  'with $idle of 4 idle, $answers waiter passes one that does not fit yet',
  ({ idle, answers }) => {
    const { ask } = scene();
    ask(4 - idle);
    const held = ask(idle - 1);
    const heavy = ask(4);
    held.permit?.release();
    const light = ask(1, 'critical');
    expect([heavy.answers, light.answers]).toEqual([0, answers]);
  },
);
