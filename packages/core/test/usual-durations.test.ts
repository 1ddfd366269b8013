import { VirtualClock } from '@headgate/test-suite';
import { expect, it, vi } from 'vitest';
import { UsualDurations } from '../src/http/usual-durations.ts';

function measured(...samples: [kind: string | undefined, duration: number][]) {
  const clock = new VirtualClock();
  const durations = new UsualDurations(clock);
  for (const [kind, duration] of samples) durations.add(kind, duration);
  return { clock, durations };
}

it('a request usually takes the mean duration of its kind, regardless of other kinds', () => {
  const { durations } = measured(['report', 500], ['report', 700], ['ping', 1], [undefined, 2]);
  expect([durations.of('report'), durations.of('ping')]).toEqual([600, 1]);
});

it('a request of a kind that has not been measured is expected to take a second', () => {
  expect(measured().durations.of(undefined)).toBe(1000);
  expect(measured(['ping', 1]).durations.of('report')).toBe(1000);
});

it('a request without a kind takes the mean of such requests or of all requests, whichever is longer', () => {
  expect(measured(['report', 600], [undefined, 2]).durations.of(undefined)).toBe(301);
  expect(measured(['ping', 2], [undefined, 600]).durations.of(undefined)).toBe(600);
  expect(measured(['report', 600]).durations.of(undefined)).toBe(600);
});

it('the kinds beyond the 64th count as requests without a kind', () => {
  const { durations } = measured([undefined, 5]);
  for (let index = 0; index < 100; index++) durations.add(`kind ${index}`, 5);
  for (let index = 0; index < 100; index++) durations.add('another', 20);
  expect(durations.of('kind 0')).toBe(5);
  expect(durations.of('another')).toBe(durations.of(undefined));
  expect(durations.of('another')).toBeGreaterThan(10);
});

it('a single very long request raises the mean by at most a tenth', () => {
  const { durations } = measured();
  for (let index = 0; index < 200; index++) durations.add('file', 10);
  durations.add('file', 60_000);
  expect(durations.of('file')).toBeLessThanOrEqual(11);
});

it('the mean adapts to requests that become a hundred times slower or faster', () => {
  const { durations } = measured();
  for (const duration of [1, 100, 1]) {
    for (let index = 0; index < 1000; index++) durations.add('report', duration);
    expect(durations.of('report')).toBeCloseTo(duration, 1);
  }
});

it('the mean can rise from a duration of zero', () => {
  const { durations } = measured();
  for (const duration of [0, 500])
    for (let index = 0; index < 1000; index++) durations.add('report', duration);
  expect(durations.of('report')).toBeGreaterThan(499);
});

it('a request that seems to end before it began, because a test replaced the clock, took no time', () => {
  const { durations } = measured(['report', -3_600_000], ['report', 10]);
  expect(durations.of('report')).toBe(5);
});

it('whenPassed() calls back when a request has lasted as long as usual, at once if it already has', () => {
  const { clock, durations } = measured(['report', 500]);
  const [later, atOnce] = [vi.fn(), vi.fn()];
  durations.whenPassed({ admittedAt: clock.now() - 100, kind: 'report' }, later);
  durations.whenPassed({ admittedAt: clock.now() - 500, kind: 'report' }, atOnce);
  expect(atOnce).toHaveBeenCalledOnce();
  clock.advance(399);
  expect(later).not.toHaveBeenCalled();
  clock.advance(1);
  expect(later).toHaveBeenCalledOnce();
  expect(clock.armed).toBe(0);
});

it('a request is expected to take as long as its route once the route is known', () => {
  const { clock, durations } = measured(['report', 500], ['ping', 0], ['ping', 1]);
  const passed = vi.fn();
  const request = { admittedAt: clock.now(), kind: undefined as string | undefined };
  durations.whenPassed(request, passed);
  clock.advance(100);
  request.kind = 'report';
  clock.advance(399);
  expect(passed).not.toHaveBeenCalled();
  clock.advance(1);
  expect(passed).toHaveBeenCalledOnce();
});

it('a request no longer needs to last a second once its kind is measured', () => {
  const { clock, durations } = measured();
  const [first, second, other] = [vi.fn(), vi.fn(), vi.fn()];
  durations.whenPassed({ admittedAt: clock.now(), kind: 'report' }, first);
  durations.whenPassed({ admittedAt: clock.now() + 50, kind: 'report' }, second);
  durations.whenPassed({ admittedAt: clock.now(), kind: 'other' }, other);
  clock.advance(100);
  durations.add('report', 80);
  expect([first.mock.calls.length, second.mock.calls.length]).toEqual([1, 0]);
  clock.advance(30);
  expect([second.mock.calls.length, other.mock.calls.length]).toEqual([1, 0]);
  clock.advance(870);
  expect([first.mock.calls.length, other.mock.calls.length]).toEqual([1, 1]);
});

it('a cancelled wait does not call back', () => {
  const { clock, durations } = measured();
  const passed = vi.fn();
  durations.whenPassed({ admittedAt: clock.now(), kind: undefined }, passed)();
  clock.advance(5000);
  expect(passed).not.toHaveBeenCalled();
});

it('a late timer still calls back', () => {
  const { clock, durations } = measured();
  const passed = vi.fn();
  durations.whenPassed({ admittedAt: clock.now(), kind: undefined }, passed);
  clock.busy(60_000);
  clock.advance(0);
  expect(passed).toHaveBeenCalledOnce();
});
