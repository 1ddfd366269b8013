import { describe, expect, it } from 'vitest';
import { Probe } from '../../src/pacing/probe.ts';
import { WorkCost } from '../../src/pacing/work-cost.ts';
import { type Caller, call } from '../caller.ts';
import { FakeLoop } from './fake-loop.ts';
import { isGranted, scene } from './paced-scene.ts';

/** A loop that is never idle, and in each iteration of which some requests arrive while few are queued. */
class BusyLoop {
  readonly #scene = scene();
  readonly #startedAt = new Map<Caller, number>();
  #queued: Caller[] = [];
  /** Requests in flight, oldest first. */
  inflight: Caller[] = [];
  /** Highest number of requests in flight during the latest run. */
  highest = 0;
  /** Number of requests finished in the latest run. */
  finished = 0;

  /** @param iterate Does the work of an iteration; returns how many of the requests in flight have finished. */
  run(milliseconds: number, iterate: (loop: this) => number): void {
    const { loop } = this.#scene;
    this.highest = this.finished = 0;
    for (const end = loop.now() + milliseconds; loop.now() < end; ) {
      this.#enqueue();
      this.#finish(iterate(this));
      loop.poll();
      this.#noteStarted();
    }
  }

  busy(milliseconds: number): void {
    this.#scene.loop.busy(milliseconds);
    // Timers that are due run.
    this.#scene.loop.advance(0);
  }

  rest(milliseconds: number): void {
    this.#scene.loop.rest(milliseconds);
  }

  /** How many of the requests in flight have been started this many milliseconds ago. */
  countOlderThan(milliseconds: number): number {
    const until = this.#scene.loop.now() - milliseconds;
    return this.inflight.filter((caller) => (this.#startedAt.get(caller) ?? 0) <= until).length;
  }

  #enqueue(): void {
    this.#noteStarted();
    for (let count = this.#queued.length; count < 10; count++)
      this.#queued.push(call(this.#scene.limiter));
    this.#noteStarted();
  }

  #finish(count: number): void {
    for (const { permit } of this.inflight.splice(0, count)) permit?.release();
    this.finished += count;
    this.#noteStarted();
  }

  #noteStarted(): void {
    for (const caller of this.#queued.filter(isGranted)) {
      this.#startedAt.set(caller, this.#scene.loop.now());
      this.inflight.push(caller);
    }
    this.#queued = this.#queued.filter((caller) => !isGranted(caller) && !caller.rejection);
    this.highest = Math.max(this.highest, this.inflight.length);
  }
}

/** Other work keeps the loop busy for 5 ms; requests wait for 50 ms. */
const otherWork = (loop: BusyLoop) => {
  loop.busy(5);
  return loop.countOlderThan(50);
};

/** Requests wait for 20 ms, and then compute for 10 ms, one after another. */
const computing = (loop: BusyLoop) => {
  const count = Math.min(1, loop.countOlderThan(20));
  if (count > 0) loop.busy(10);
  else loop.rest(1);
  return count;
};

it('other work that keeps the loop busy is found within ten seconds', () => {
  const loop = new BusyLoop();
  loop.run(10_000, otherWork);
  loop.run(10_000, otherWork);
  expect(loop.highest).toBeGreaterThan(10);
  expect(loop.finished).toBeGreaterThan(2000);
});

it('a probe is short, and is repeated ever more rarely if no more requests finish', () => {
  const loop = new BusyLoop();
  let iterations = 0;
  // Next to other work, one worker handles a request every 50 ms.
  const oneWorker = () => {
    loop.busy(5);
    return ++iterations % 10 === 0 ? 1 : 0;
  };
  loop.run(8000, oneWorker);
  const probes: number[] = [];
  for (let second = 0; second < 120; second++) {
    loop.run(1000, oneWorker);
    expect(loop.highest).toBeLessThanOrEqual(3);
    if (loop.highest > 1) probes.push(second);
  }
  expect(probes.length).toBeGreaterThan(4);
  expect(probes.length).toBeLessThan(16);
});

it('requests that compute are held back again after other work has ended', () => {
  const loop = new BusyLoop();
  loop.run(20_000, otherWork);
  const before = loop.inflight.length;
  loop.run(10_000, computing);
  loop.run(10_000, computing);
  expect(before).toBeGreaterThan(10);
  expect(loop.inflight.length).toBeLessThanOrEqual(6);
  expect(loop.finished).toBeGreaterThan(950);
});

it('requests that compute are never probed, even after a short stall', () => {
  const loop = new BusyLoop();
  for (let round = 0; round < 6; round++) {
    loop.run(10_000, computing);
    expect(loop.highest).toBeLessThanOrEqual(6);
    loop.busy(1000);
  }
});

describe('a probe', () => {
  /** Runs a probe of a loop that is always busy, with as many requests in flight as it allows. */
  const probing = () => {
    const loop = new FakeLoop();
    const cost = new WorkCost(loop);
    const probe = new Probe(loop, cost);
    cost.rate.queueingStarted(0);
    /** Lets two iterations of 5 ms pass. Returns what the probe has found. */
    const step = (idle: number, finished: number) => {
      while (cost.inflight < Math.max(2, probe.inflight)) cost.started(loop.now());
      loop.rest(idle);
      loop.busy(5 - idle);
      const found = probe.update(loop.now(), true, true);
      loop.busy(5);
      for (let count = 0; count < finished; count++) cost.finished(loop.now());
      return found ?? probe.update(loop.now(), true, true);
    };
    for (let steps = 0; probe.inflight === 0; steps++) {
      expect(steps).toBeLessThan(1000);
      step(0, 1);
    }
    return { probe, step };
  };

  it.each([
    ['finds other work if more requests finish', 0, 3, true],
    ['finds none if no more requests finish', 0, 1, false],
    ['finds none if other work ends meanwhile', 4, 3, false],
  ])('%s', (_name, idle, finished, isFound) => {
    const { probe, step } = probing();
    const found: number[] = [];
    while (probe.inflight > 0) found.push(step(idle, finished) ?? 0);
    expect(probe.hasFoundOtherWork).toBe(isFound);
    expect(Math.max(...found) > 0).toBe(isFound);
  });

  it('shows nothing if there are not enough requests, and is soon repeated', () => {
    const { probe, step } = probing();
    probe.inflight = 2;
    let steps = 0;
    while (probe.inflight > 0) step(0, 1);
    for (; probe.inflight === 0 && steps < 1000; steps++) step(0, 1);
    expect(probe.hasFoundOtherWork).toBe(false);
    expect(steps * 10).toBeLessThan(2000);
  });
});
