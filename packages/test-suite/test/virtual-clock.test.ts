import { expect, it } from 'vitest';
import { VirtualClock } from '../src/index.ts';

function recorded() {
  const clock = new VirtualClock({ start: 0 });
  const fired: string[] = [];
  const set = (name: string, delay: number) =>
    clock.setTimeout(() => fired.push(`${name}@${clock.now()}`), delay);
  return { clock, fired, set };
}

it('the virtual clock fires timers in the order of their due times, each at its time', () => {
  const { clock, fired, set } = recorded();
  set('c', 30);
  set('a', 10);
  set('b', 10);
  clock.advance(20);
  expect(fired).toEqual(['a@10', 'b@10']);
  expect(clock.now()).toBe(20);
  clock.advance(10);
  expect(fired).toEqual(['a@10', 'b@10', 'c@30']);
});

it('the virtual clock fires a timer set by another timer, if it is due within the same advance()', () => {
  const { clock, fired, set } = recorded();
  clock.setTimeout(() => set('inner', 5), 10);
  clock.advance(14);
  expect(fired).toEqual([]);
  clock.advance(1);
  expect(fired).toEqual(['inner@15']);
});

it('the virtual clock fires overdue timers late after busy()', () => {
  const { clock, fired, set } = recorded();
  set('a', 10);
  set('b', 20);
  set('c', 60);
  clock.busy(50);
  expect(fired).toEqual([]);
  clock.advance(0);
  expect(fired).toEqual(['a@50', 'b@50']);
  expect(clock.armed).toBe(1);
});

it('the virtual clock fires timers that become due while a callback is busy', () => {
  const { clock, fired, set } = recorded();
  clock.setTimeout(() => clock.busy(50), 10);
  set('a', 20);
  set('b', 61);
  expect(clock.due).toBe(10);
  clock.advance(15);
  expect([fired, clock.now(), clock.due]).toEqual([['a@60'], 60, 61]);
  clock.advance(1);
  expect([fired, clock.due]).toEqual([['a@60', 'b@61'], Number.POSITIVE_INFINITY]);
});

it('the virtual clock does not fire cleared timers, and counts armed ones', () => {
  const { clock, fired, set } = recorded();
  const timer = set('a', 10);
  set('b', 10);
  clock.clearTimeout(timer);
  clock.clearTimeout(timer);
  clock.clearTimeout(undefined);
  expect(clock.armed).toBe(1);
  clock.advance(10);
  expect(fired).toEqual(['b@10']);
});

it.each([0, -5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 31])(
  'treats a delay of %s as 1 ms, as Node does',
  (delay) => {
    const { clock, fired, set } = recorded();
    set('a', delay);
    clock.advance(1);
    expect(fired).toEqual(['a@1']);
  },
);
