import { lcg } from '@headgate/test-kit/lcg';
import { VirtualClock } from '@headgate/test-suite';
import { expect, it } from 'vitest';
import { MeasuredCapacity } from '../src/engine.ts';
import { adaptive, createGate } from '../src/index.ts';

/** Answers at a rate per second from a time on, for some seconds, each of the duration at its time. */
function answer(
  capacity: MeasuredCapacity,
  { from, seconds, rate }: { from: number; seconds: number; rate: number },
  duration: (milliseconds: number) => number,
): void {
  for (let at = 0; at < 1000 * seconds; at += 1000 / rate)
    capacity.add(1000 * from + at, duration(at));
}

it('is undefined after fewer than five windows', () => {
  const capacity = new MeasuredCapacity();
  expect(capacity.limit).toBeUndefined();
  answer(capacity, { from: 0, seconds: 4, rate: 100 }, () => 10);
  expect(capacity.limit).toBeUndefined();
});

it('the answers of an overload before an idle time do not count as calm', () => {
  const capacity = new MeasuredCapacity();
  for (const from of [0, 1_000]) {
    answer(capacity, { from, seconds: 60, rate: 20 }, () => 100);
    // The queue of the server grows until the load ends at once.
    answer(capacity, { from: from + 60, seconds: 20, rate: 40 }, (at) => 100 + at / 2);
  }
  expect(capacity.limit).toMatchObject({ limit: 5, isSaturated: true });
});

it('a slow dependency is no saturation', () => {
  const capacity = new MeasuredCapacity();
  answer(capacity, { from: 0, seconds: 60, rate: 100 }, () => 50);
  answer(capacity, { from: 60, seconds: 20, rate: 30 }, () => 5_000);
  answer(capacity, { from: 80, seconds: 60, rate: 100 }, () => 50);
  expect(capacity.limit).toMatchObject({ limit: 6, isSaturated: false });
});

it('weights count: the limit is the weight that the server needs in flight', () => {
  const capacity = new MeasuredCapacity();
  for (let at = 0; at < 60_000; at += 20) capacity.add(at, 100, 3);
  expect(capacity.limit).toMatchObject({ limit: 18 });
});

/** How long a request takes that arrives at this time at six connections of 50 ms, if 200 per second arrive. */
const queued = (at: number) => 50 + (2 / 3) * at;
/** With a hundred clients, which send their next request after the answer. */
const ofHundred = (at: number) => Math.min(queued(at), 833);

it.each([
  ['a queue that grows', queued],
  ['a hundred clients', ofHundred],
])(
  'is undefined in an overload from the first second on, until a quiet time: %s',
  (_, duration) => {
    const capacity = new MeasuredCapacity();
    for (let seconds = 0; seconds < 600; seconds += 30) {
      answer(capacity, { from: seconds, seconds: 30, rate: 120 }, (at) =>
        duration(1000 * seconds + at),
      );
      expect(capacity.limit).toBeUndefined();
    }
    answer(capacity, { from: 600, seconds: 300, rate: 30 }, () => 50);
    expect(capacity.limit).toMatchObject({ limit: 7, isSaturated: true });
  },
);

it('a quiet time before the overload counts until it is too short a part of the time', () => {
  const capacity = new MeasuredCapacity();
  answer(capacity, { from: 0, seconds: 15, rate: 30 }, () => 50);
  answer(capacity, { from: 15, seconds: 15, rate: 120 }, ofHundred);
  expect(capacity.limit).toMatchObject({ limit: 7, isSaturated: true });
  answer(capacity, { from: 30, seconds: 2_000, rate: 120 }, () => 833);
  expect(capacity.limit).toBeUndefined();
});

it('a server at half of its capacity gets a lower bound without a quiet time', () => {
  const random = lcg(1);
  const capacity = new MeasuredCapacity();
  answer(capacity, { from: 0, seconds: 600, rate: 60 }, () => -50 * Math.log(1 - random()));
  expect(capacity.limit).toMatchObject({ limit: 3, isSaturated: false });
});

it('measures on after the clock was set back', () => {
  const capacity = new MeasuredCapacity();
  answer(capacity, { from: 10_000, seconds: 30, rate: 50 }, () => 100);
  answer(capacity, { from: 0, seconds: 30, rate: 50 }, () => 100);
  expect(capacity.limit).toMatchObject({ limit: 6, isSaturated: false });
  expect(capacity.limit?.rate).toBeCloseTo(50, 0);
});

it('counts a request of a gate once, also if its work is marked after its release', async () => {
  const clock = new VirtualClock();
  const limits = [
    { name: 'one', limit: adaptive() },
    { name: 'other', limit: 5 },
  ];
  const gate = createGate({ limits, mode: 'shadow', clock });
  for (let count = 0; count < 600; count++) {
    const permit = await gate.acquire();
    clock.advance(20);
    permit.release();
    permit.mark();
  }
  const [, other] = gate.stats().limits;
  expect(other?.suggestion?.measured?.rate).toBeCloseTo(50);
});
