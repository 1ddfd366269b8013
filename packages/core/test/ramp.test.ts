import { expect, it } from 'vitest';
import type { Sample } from '../src/limits/limit.ts';
import { Ramp } from '../src/limits/ramp.ts';

function sample(now: number, rtt: number, inflight: number): Sample {
  return { now, rtt, inflight, weight: 1, outcome: 'ok', kind: undefined };
}

it('the ramp rises by one for each finished request while the limit is reached', () => {
  const ramp = new Ramp();
  expect(ramp.next(sample(10, 10, 8), 8)).toBe(9);
  expect(ramp.next(sample(11, 10, 9), 9)).toBe(10);
  expect(ramp.next(sample(12, 10, 8), 10)).toBe(10);
});

it('the ramp rises by 16 per second if fewer requests finish, counting at most a second between two of them', () => {
  const ramp = new Ramp();
  expect(ramp.next(sample(500, 500, 8), 8)).toBe(16);
  expect(ramp.next(sample(1000, 500, 16), 16)).toBe(24);
  expect(ramp.next(sample(60_000, 500, 24), 24)).toBe(40);
});

/** Overloads a server that handles `capacity` requests at once, in order, for `time` each: one request per millisecond. */
function overload(ramp: Ramp, capacity: number, start = 0): number {
  const time = 2 * capacity;
  let limit = 1;
  for (let at = 0; ramp.capacity === undefined && at < 1000 * time; at += 2) {
    limit = ramp.next(sample(start + time + at, time + at / 2, limit), limit);
  }
  return limit;
}

it.each([10, 100])('in an overload, the ramp ends at about the capacity (%i)', (capacity) => {
  const ramp = new Ramp();
  const limit = overload(ramp, capacity);
  expect(limit).toBe(ramp.capacity);
  expect(limit).toBeLessThan(1.5 * capacity);
  expect(limit).toBeGreaterThan(capacity / 2);
});

it('the ramp detects an overload as quickly after an hour of light load', () => {
  const ramp = new Ramp();
  for (let minute = 1; minute <= 60; minute++) ramp.next(sample(60_000 * minute, 20, 1), 8);
  const limit = overload(ramp, 10, 3_600_000);
  expect(limit).toBe(overload(new Ramp(), 10));
});

it('the ramp detects an overload as quickly after an hour at half the limit, or without requests', () => {
  const after = (minutes: number[]) => {
    const ramp = new Ramp();
    for (const minute of minutes) ramp.next(sample(60_000 * minute, 20, 4), 8);
    return overload(ramp, 10, 3_660_000);
  };
  expect(after(Array.from({ length: 60 }, (_, index) => index + 1))).toBeLessThan(15);
  expect(after([0.1, 0.2, 0.3])).toBeLessThan(15);
});

it('the ramp detects an overload as quickly if long work from before has just finished', () => {
  const ramp = new Ramp();
  for (let now = 100; now <= 30_000; now += 100) ramp.next(sample(now, 20, 1), 8);
  for (let index = 1; index <= 8; index++) ramp.next(sample(30_000 + index, 30_000, 8), 8);
  expect(overload(ramp, 10, 30_010)).toBeLessThan(15);
});

it('the ramp does not treat a slowdown as an overload while the limit is not reached', () => {
  const ramp = new Ramp();
  for (let rtt = 100; rtt < 1000; rtt += 10) {
    expect(ramp.next(sample(10 * rtt, rtt, 5), 8)).toBe(8);
  }
  expect(ramp.capacity).toBeUndefined();
});

it('the ramp keeps rising while durations stay the same, however many requests finish', () => {
  const ramp = new Ramp();
  let limit = 8;
  for (let now = 100; now < 10_000; now++) {
    limit = ramp.next(sample(now, 100 + (now % 7), limit), limit);
  }
  expect(ramp.capacity).toBeUndefined();
  expect(limit).toBeGreaterThan(9000);
});
