import { describe, expect, it } from 'vitest';
import type { Priority } from '../../src/index.ts';
import { type Answer, type Scene, SimulatedServer } from './simulated-server.ts';

// 10 ms of work a request, so about 98 a second; the guard is to hold the delay near 50 ms.

const work = 10;
const capacity = 98;
/** Milliseconds. */
const patience = 1000;
const span = 10_000;

interface Course {
  readonly answers: readonly Answer[];
  /** Those that came when it had settled. */
  readonly settled: readonly Answer[];
}

function overload(scene: Omit<Scene, 'work'>, loads: Partial<Record<Priority, number>>): Course {
  const server = new SimulatedServer({ work, ...scene });
  for (const [priority, perSecond] of Object.entries(loads)) {
    server.load(perSecond, 0, span, priority as Priority);
  }
  server.run();
  const { answers } = server;
  return { answers, settled: answers.filter(({ at }) => at > 2000 && at < span) };
}

const inTime = ({ admitted, took }: Answer) => admitted && took < patience;

/** Of what the server could have answered besides turning the others away. */
function yieldOf({ settled }: Course, price: number): number {
  const refused = settled.filter(({ admitted }) => !admitted).length;
  const left = span - 2000 - refused * price;
  return (settled.filter(inTime).length * (work + price)) / left;
}

/** Milliseconds that so large a part of the admitted took at most. */
function quantile(answers: readonly Answer[], part: number): number {
  const took = answers.filter(({ admitted }) => admitted).map((answer) => answer.took);
  return took.sort((one, other) => one - other)[Math.floor(took.length * part)] ?? Number.NaN;
}

/** The least and the most that came in time in a fifth of a second, as parts of the mean. */
function swing({ settled }: Course): [number, number] {
  const counts = new Array<number>((span - 2000) / 200).fill(0);
  for (const answer of settled.filter(inTime)) {
    const index = Math.floor((answer.at - 2000) / 200);
    counts[index] = (counts[index] ?? 0) + 1;
  }
  const mean = counts.reduce((sum, count) => sum + count, 0) / counts.length;
  return [Math.min(...counts) / mean, Math.max(...counts) / mean];
}

const handlers: readonly [string, Omit<Scene, 'work'>, number][] = [
  ['at once', {}, 0],
  ['after 5 ms', { wait: 5 }, 5],
  ['after 50 ms', { wait: 50 }, 50],
];

describe.each(handlers)('where the handlers do their work %s', (_, scene, wait) => {
  it.each([2, 5, 10])('all of the capacity is used, and soon, at %i times of it', (times) => {
    const course = overload(scene, { normal: times * capacity });
    expect(yieldOf(course, 0.2)).toBeGreaterThan(0.95);
    expect(quantile(course.settled, 0.5)).toBeLessThan(wait + work + 2.5 * 50);
    expect(quantile(course.settled, 0.99)).toBeLessThan(wait + work + 3 * 50);
    expect(course.answers.every(({ admitted, took }) => admitted || took < patience)).toBe(true);
  });

  it('it lets some in all the time, without turning on and off', () => {
    const [least, most] = swing(overload(scene, { normal: 5 * capacity }));
    expect(least).toBeGreaterThan(0.5);
    expect(most).toBeLessThan(1.5);
  });

  it('nearly nobody is turned away at half of the capacity', () => {
    const { answers } = overload(scene, { normal: capacity / 2 });
    const refused = answers.filter(({ admitted }) => !admitted).length;
    expect(refused / answers.length).toBeLessThan(0.01);
  });

  it('all is as before within a second after the end', () => {
    const server = new SimulatedServer({ work, ...scene });
    server.load(10 * capacity, 0, 4000);
    server.load(0.5 * capacity, 4000, 10_000);
    server.run();
    const after = server.answers.filter(({ at }) => at > 5000);
    const refused = after.filter(({ admitted }) => !admitted).length;
    expect(refused / after.length).toBeLessThan(0.02);
    expect(quantile(after, 0.99)).toBeLessThan(wait + work + 2 * 50);
  });

  it('those that are critical are answered in time', () => {
    const { answers } = overload(scene, { normal: 4.5 * capacity, critical: 0.5 * capacity });
    const critical = answers.filter(({ priority }) => priority === 'critical');
    expect(critical.filter(inTime).length / critical.length).toBeGreaterThan(0.995);
    expect(
      answers.filter((answer) => answer.priority === 'normal' && inTime(answer)).length,
    ).toBeGreaterThan(100);
  });
});

it('the lowest classes are shed first', () => {
  const share = 0.5 * capacity;
  const { settled } = overload({}, { high: share, normal: share, low: share, sheddable: share });
  const part = (priority: Priority) => {
    const all = settled.filter((answer) => answer.priority === priority);
    return all.filter(inTime).length / all.length;
  };
  expect(part('high')).toBeGreaterThan(0.95);
  expect(part('normal')).toBeGreaterThan(0.7);
  // What the higher ones leave in a lull: over 200 seeds 11 % in the median, 26 % at most.
  expect(part('low')).toBeLessThan(0.3);
  expect(part('sheddable')).toBeLessThan(0.02);
});

it('connections that wait to be accepted are not kept waiting', () => {
  const course = overload({ connects: true }, { normal: 5 * capacity });
  expect(yieldOf(course, 0.25)).toBeGreaterThan(0.95);
  expect(quantile(course.settled, 0.99)).toBeLessThan(work + 3 * 50);
  expect(course.settled.every(({ took }) => took < patience)).toBe(true);
});

it('a request that takes longer than maxDelay is admitted when it is the first', () => {
  const server = new SimulatedServer({ work: 200 });
  server.load(20, 0, span);
  server.run();
  expect(server.answers.filter(inTime).length).toBeGreaterThan(0.9 * (span / 200));
});

it("work that is none of the requests' counts, too", () => {
  const server = new SimulatedServer({ work, wait: 5 });
  server.burden(30, 60, span);
  server.load(5 * capacity, 0, span);
  server.run();
  const settled = server.answers.filter(({ at }) => at > 2000);
  expect(quantile(settled, 0.5)).toBeLessThan(5 + work + 3 * 50);
  expect(settled.filter(inTime).length).toBeGreaterThan(0.7 * 0.5 * capacity * 8);
});

it('a part is shed for want of memory, the lowest classes first', () => {
  let pressure = 0.5;
  const server = new SimulatedServer({ work: 0.1, pressure: () => pressure });
  server.load(100, 0, span);
  server.load(100, 0, span, 'critical');
  server.run();
  const refused = (priority: Priority) => {
    const all = server.answers.filter((answer) => answer.priority === priority && answer.at > 1000);
    return all.filter(({ admitted }) => !admitted).length / all.length;
  };
  expect(refused('normal')).toBeGreaterThan(0.9);
  expect(refused('critical')).toBeLessThan(0.1);
  pressure = 1;
  server.load(100, span, 2 * span, 'critical');
  server.run();
  const later = server.answers.filter(({ at }) => at > span + 1000);
  expect(later.some(({ admitted }) => admitted)).toBe(false);
});
