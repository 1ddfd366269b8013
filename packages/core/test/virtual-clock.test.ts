import { expect, it } from 'vitest';
import { VirtualClock } from '../src/shadow/virtual-clock.ts';

it('the virtual clock fires all due timers in order, each at its own time', () => {
  const clock = new VirtualClock(100, Math.random);
  const calls: [string, number][] = [];
  const call = (name: string) => () => void calls.push([name, clock.now()]);
  clock.setTimeout(call('late'), 30);
  clock.setTimeout(() => clock.setTimeout(call('later'), 5), 10);
  const cleared = clock.setTimeout(call('cleared'), 20);
  clock.clearTimeout(cleared);
  clock.advance(129);
  expect([calls, clock.now()]).toEqual([[['later', 115]], 129]);
  clock.advance(130);
  expect(calls).toEqual([
    ['later', 115],
    ['late', 130],
  ]);
});

it('clearing a timer that has ended does not affect others', () => {
  const clock = new VirtualClock(0, Math.random);
  let calls = 0;
  const ended = clock.setTimeout(() => calls++, 1);
  clock.setTimeout(() => calls++, 2);
  clock.advance(1);
  clock.clearTimeout(ended);
  clock.advance(2);
  expect(calls).toBe(2);
});
