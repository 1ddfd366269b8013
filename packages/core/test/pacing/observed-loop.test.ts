import { expect, it } from 'vitest';
import { ObservedLoop } from '../../src/pacing/observed-loop.ts';

function scene() {
  let time = 0;
  const callbacks: (() => void)[] = [];
  const loop = new ObservedLoop(
    () => time,
    (callback) => callbacks.push(callback),
  );
  const poll = () => {
    for (const callback of callbacks.splice(0)) callback();
  };
  const pass = (milliseconds: number) => {
    time += milliseconds;
  };
  return { loop, poll, pass };
}

it('the loop is idle while nothing waits for a poll', () => {
  const { loop, pass } = scene();
  pass(10);
  expect(loop.idle()).toBe(10);
});

it('the loop is busy from a request for a callback until the poll', () => {
  const { loop, poll, pass } = scene();
  pass(10);
  loop.whenPolled(() => {});
  pass(20);
  expect(loop.idle()).toBe(10);
  poll();
  expect(loop.idle()).toBe(10);
  pass(5);
  expect(loop.idle()).toBe(15);
});

it('the time of overlapping requests counts once', () => {
  const { loop, poll, pass } = scene();
  const called: string[] = [];
  loop.whenPolled(() => called.push('first'));
  pass(10);
  loop.whenPolled(() => called.push('second'));
  pass(10);
  poll();
  expect(called).toEqual(['first', 'second']);
  expect(loop.idle()).toBe(0);
});

it('a request within a callback starts the next busy period', () => {
  const { loop, poll, pass } = scene();
  loop.whenPolled(() => loop.whenPolled(() => {}));
  pass(10);
  poll();
  pass(10);
  expect(loop.idle()).toBe(0);
  poll();
  pass(10);
  expect(loop.idle()).toBe(10);
});

it('connections are not counted', () => {
  const { loop } = scene();
  expect([loop.isMeasured, loop.accepted()]).toEqual([true, 0]);
});
