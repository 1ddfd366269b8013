import { collectWarnings } from '@headgate/test-kit/warnings';
import { Latch, VirtualClock } from '@headgate/test-suite';
import { aRound } from '@headgate/test-suite/kit';
import { expect, it } from 'vitest';
import { above, memoryLimit } from '../../src/guard/memory-use.ts';
import { guard, memoryUse, type Priority, roundTrip, type Signal } from '../../src/index.ts';

const clock = () => new VirtualClock();

/** The fractions of normal and critical requests that a guard rejects within ten seconds of this load. */
function rejectedBy(signals: readonly Signal[], time = clock()) {
  const subject = guard({ name: 'database', signals, clock: time });
  const rejected = { normal: 0, critical: 0 };
  for (let tick = 0; tick < 1000; tick++) {
    time.advance(10);
    for (const priority of ['normal', 'critical'] as const)
      if (!subject.admits(priority)) rejected[priority] += 1 / 1000;
  }
  return rejected;
}

it('guard() admits every request while the delay is below its target', () => {
  expect(rejectedBy([{ delay: () => 49, target: 50 }])).toEqual({ normal: 0, critical: 0 });
});

it('guard() rejects normal requests while the delay is above its target, and admits critical ones', () => {
  const { normal, critical } = rejectedBy([{ delay: () => 100, target: 50 }]);
  expect(normal).toBeGreaterThan(0.7);
  expect(critical).toBe(0);
});

it('guard() admits a few requests at any delay, to notice when it falls', () => {
  const { normal, critical } = rejectedBy([{ delay: () => Infinity, target: 50 }]);
  expect(normal).toBeGreaterThan(0.9);
  expect(critical).toBeGreaterThan(0.9);
  expect(critical).toBeLessThan(1);
});

it('guard() follows the worst of several signals', () => {
  const calm = { delay: () => 1, target: 50 };
  const { normal } = rejectedBy([calm, { delay: () => 8, target: 4 }, calm]);
  expect(normal).toBeGreaterThan(0.7);
});

it('guard() reads its signals at most every 50 ms', () => {
  let readings = 0;
  rejectedBy([{ delay: () => readings++ * 0, target: 50 }]);
  expect(readings).toBe(200);
});

it.each([
  [
    'throws',
    () => {
      throw new Error('no pool');
    },
  ],
  ['returns no number', () => 'slow' as never],
])('admits every request if a signal %s, and warns once', (_, delay) => {
  const warnings = collectWarnings();
  expect(rejectedBy([{ delay, target: 50 }]).normal).toBe(0);
  expect(warnings).toEqual(['HEADGATE_STATS']);
});

it('guard() reports the delay of a single signal, and the fraction of requests that it has rejected', () => {
  const time = clock();
  const one = guard({ name: 'lag', delay: () => 7, target: 50, clock: time });
  one.admits('normal');
  expect(one.stats?.()).toEqual({ delay: 7, shedding: 0 });
  const signal = { delay: () => 7, target: 50 };
  expect(guard({ name: 'lag', signals: [signal, signal] }).stats?.()).toEqual({ shedding: 0 });
});

it.each<[string, object]>([
  ['name', { delay: () => 0, target: 1 }],
  ['delay', { name: 'a', target: 1 }],
  ['delay', { name: 'a', delay: 5, target: 1 }],
  ['target', { name: 'a', delay: () => 0 }],
  ['target', { name: 'a', delay: () => 0, target: 0 }],
  ['target', { name: 'a', delay: () => 0, target: Infinity }],
  ['signals', { name: 'a', signals: [] }],
  ['signals', { name: 'a', signals: { delay: () => 0, target: 1 } }],
  ['signals', { name: 'a', signals: [memoryUse()], target: 1 }],
  ['delay', { name: 'a', signals: [{ target: 1 }] }],
])('names the option %s that is wrong: %o', (option, options) => {
  const error = { code: 'ERR_HEADGATE_OPTION', option };
  expect(() => guard(options as never)).toThrow(expect.objectContaining(error));
});

it('a round trip counts from its start, even before it has ended', async () => {
  const time = clock();
  const answers: Latch[] = [];
  const signal = roundTrip(
    () => {
      const answer = new Latch();
      answers.push(answer);
      return answer.opened;
    },
    { target: 20, clock: time },
  );
  expect(signal.delay()).toBe(0);
  time.advance(30);
  expect([signal.delay(), answers.length]).toEqual([30, 1]);
  answers[0]?.open();
  await aRound();
  time.advance(50);
  expect([signal.delay(), answers.length]).toEqual([30, 1]);
  time.advance(50);
  expect([signal.delay(), answers.length]).toEqual([30, 2]);
  time.advance(5);
  answers[1]?.open();
  await aRound();
  expect(signal.delay()).toBe(5);
});

it('a failed round trip counts as an answer', async () => {
  const time = clock();
  const signal = roundTrip(() => Promise.reject(new Error('down')), { target: 20, clock: time });
  signal.delay();
  await aRound();
  time.advance(99);
  expect(signal.delay()).toBe(0);
});

it('roundTrip() throws for an argument that is not a function, and for an invalid target', () => {
  const error = (option: string) =>
    expect.objectContaining({ code: 'ERR_HEADGATE_OPTION', option });
  expect(() => roundTrip('ping' as never, { target: 5 })).toThrow(error('ask'));
  expect(() => roundTrip(undefined as never, { target: 5 })).toThrow(error('ask'));
  expect(() => roundTrip(async () => {}, { target: 0 })).toThrow(error('target'));
});

it.each([
  [0.8, 0.4, 0.5],
  [0.8, 0.8, 1],
  [0.8, 0.9, 3],
  [0.8, 1.2, 5],
  [1, 1.2, 1],
])('with a maximum of %f, %f in use is %f times the target', (max, used, times) => {
  expect(above(max, used)).toBeCloseTo(times);
});

it('when the memory is used up, all requests except critical ones are shed', () => {
  const full: Record<Priority, number> | object = rejectedBy([
    { delay: () => above(0.9, 1), target: 1 },
  ]);
  expect(full).toMatchObject({ normal: expect.closeTo(1, 1), critical: 0 });
});

it.each([
  ['the share of the container', 1000, 4000, 1000],
  ['the machine where there is no share', 0, 4000, 4000],
  ['the machine where that is not known', undefined, 4000, 4000],
  ['the machine where the share is larger', 2 ** 64, 4000, 4000],
])('memoryUse() takes the memory of %s', (_, share, machine, expected) => {
  expect(memoryLimit(share, machine)).toBe(expected);
});

it('memoryUse() reads the values of this process', () => {
  const { delay, target } = memoryUse({ maxHeap: 1, maxRss: 1 });
  expect(delay()).toBeGreaterThan(0);
  expect(delay()).toBeLessThan(target);
  expect(memoryUse({ maxHeap: 1e-9, maxRss: 1 }).delay()).toBeGreaterThan(1);
  expect(memoryUse({ maxHeap: 1, maxRss: 1e-9 }).delay()).toBeGreaterThan(1);
});

it.each([
  ['maxHeap', 0],
  ['maxHeap', 80],
  ['maxRss', 1.1],
  ['maxRss', Number.NaN],
])('memoryUse() throws for %s: %s', (option, value) => {
  const error = { code: 'ERR_HEADGATE_OPTION', option };
  expect(() => memoryUse({ [option]: value })).toThrow(expect.objectContaining(error));
});
