import { type Caller, call } from '@headgate/test-kit/caller';
import { describe, expect, it } from 'vitest';
import { fifo } from '../../src/index.ts';
import { Turn } from '../../src/pacing/turn.ts';
import { WorkCost } from '../../src/pacing/work-cost.ts';
import type { BasePermit } from '../../src/semaphore/permit.ts';
import { FakeLoop } from './fake-loop.ts';
import { isGranted, scene } from './scene.ts';

describe('the work of requests in flight', () => {
  it('holds others back', () => {
    const { loop, limiter, measure } = scene();
    measure(20);
    const [first, second] = [call(limiter), call(limiter)];
    for (let index = 0; index < 10; index++) {
      loop.busy(30);
      loop.advance(0);
      loop.poll();
    }
    expect(second.permit).toBeUndefined();
    first.permit?.release();
    expect(second.permit).toBeDefined();
  });

  it('counts each request once, although its weight is adjusted', () => {
    const { loop, limiter, measure } = scene();
    measure(20);
    for (let index = 0; index < 10; index++) {
      const { permit } = call(limiter);
      for (const weight of [3, 2, 2, 1]) permit?.adjust(weight);
      permit?.release();
      loop.poll();
    }
    const callers = Array.from({ length: 5 }, () => call(limiter));
    for (let index = 0; index < 5; index++) {
      loop.busy(10);
      loop.poll();
    }
    expect(callers.map(isGranted)).toEqual([true, false, false, false, false]);
  });

  it('does not hold others back while the loop is idle', () => {
    const { loop, limiter, measure } = scene();
    measure(20);
    const callers = [call(limiter), call(limiter), call(limiter)];
    for (let index = 0; index < 60; index++) {
      loop.turn(1);
    }
    expect(callers.map(isGranted)).toEqual([true, true, true]);
  });

  it('holds others back only for milliseconds, however many long requests are in flight', () => {
    const { loop, limiter, measure } = scene(fifo(), { limit: 10_000 });
    measure(5);
    const streams: Caller[] = [];
    for (let index = 0; index < 2000; index++) {
      streams.push(call(limiter));
      loop.turn(2);
    }
    loop.rest(10_000);
    const before = loop.now();
    const next = call(limiter);
    for (let waited = 0; next.permit === undefined && waited < 100; waited++) {
      loop.turn(1);
    }
    expect(streams.filter(isGranted).length).toBeGreaterThan(1500);
    expect(loop.now() - before).toBeLessThan(20);
  });
});

describe('requests that wait for a timer or a socket before they compute', () => {
  /** Requests in flight that the loop computes one after another, while others are queued. */
  const saturated = () => {
    const { loop, limiter } = scene();
    const callers: Caller[] = [];
    const inflight = () => callers.filter(isGranted);
    const answer = () => {
      callers.push(call(limiter), call(limiter));
      loop.busy(10);
      const [first] = inflight();
      first?.permit?.release();
      callers.splice(callers.indexOf(first as Caller), 1);
    };
    // The first ones wait for 100 ms, so the loop is idle, and more are started.
    for (let round = 0; round < 100; round++) {
      callers.push(call(limiter));
      loop.turn(1);
    }
    for (let round = 0; round < 50; round++) {
      answer();
      loop.poll();
    }
    return { count: () => inflight().length, answer };
  };

  it('are replaced when they finish, while the turn is short', () => {
    const cost = Object.assign(new WorkCost(new FakeLoop()), { perRequest: 10, duration: 100 });
    const turn = new Turn();
    turn.ended(1, 60);
    for (let count = 0; count < 9; count++) turn.started(0);
    expect(turn.isFull(0, cost)).toBe(true);
    turn.finished(10, true, 59);
    expect(turn.isFull(10, cost)).toBe(false);
    turn.finished(10, true, 60);
    expect(turn.isFull(10, cost)).toBe(true);
    turn.finished(26, true, 59);
    expect(turn.isFull(26, cost)).toBe(true);
  });

  it('become fewer while a poll is overdue, so that the loop polls again', () => {
    const { count, answer } = saturated();
    const before = count();
    for (let index = 0; index < 50; index++) answer();
    expect(count()).toBeLessThan(before / 2);
  });

  it('are not replaced by a chain of requests that only compute', () => {
    const { loop, limiter, measure } = scene();
    measure(10);
    const streams = Array.from({ length: 4 }, () => call(limiter));
    for (let round = 0; round < 100; round++) {
      loop.turn(1);
    }
    const callers = Array.from({ length: 20 }, () => call(limiter));
    const compute = () => {
      const started = callers.filter(isGranted);
      for (const caller of started) {
        loop.busy(10);
        caller.permit?.release();
        callers.splice(callers.indexOf(caller), 1);
      }
      return started.length;
    };
    while (compute() > 0);
    expect(callers.length).toBeGreaterThan(15);
    streams[0]?.permit?.release();
    let chain = 0;
    while (compute() > 0) chain++;
    expect(chain).toBeGreaterThan(0);
    expect(chain).toBeLessThan(6);
  });
});

describe('requests that do not count while their body is arriving', () => {
  /** Opens uploads, one each 3 ms. */
  const upload = ({ loop, limiter }: ReturnType<typeof scene>, count: number) => {
    const uploads: Caller[] = [];
    for (let index = 0; index < count; index++) {
      uploads.push(call(limiter));
      loop.turn(3);
      const { permit } = uploads.at(-33) ?? {};
      (permit as BasePermit | undefined)?.pauseCounting();
    }
    for (const { permit } of uploads) (permit as BasePermit | undefined)?.pauseCounting();
    loop.turn(2000);
    return uploads;
  };

  it('do not hide an overload by other requests, which compute', () => {
    const world = scene(fifo(), { limit: 10_000 });
    const { loop, limiter, measure } = world;
    measure(20);
    const uploads = upload(world, 1000);
    expect(uploads.filter(isGranted).length).toBeGreaterThan(900);
    let arriving: Caller[] = [];
    let longest = 0;
    for (const end = loop.now() + 4000; loop.now() < end; ) {
      const polledAt = loop.now();
      arriving.push(...Array.from({ length: 20 }, () => call(limiter)));
      for (const { permit } of arriving.filter(isGranted)) {
        loop.busy(20);
        permit?.release();
      }
      arriving = arriving.filter((caller) => !isGranted(caller));
      loop.rest(1);
      longest = Math.max(longest, loop.now() - polledAt);
      loop.poll();
    }
    expect(longest).toBeLessThan(100);
    for (const { permit } of uploads) permit?.release();
  });

  it('count as started once it has arrived', () => {
    const world = scene(fifo(), { limit: 10_000 });
    const { loop, limiter, measure } = world;
    measure(20);
    const uploads = upload(world, 10).filter(isGranted);
    for (const { permit } of uploads) (permit as BasePermit).countAgain();
    const next = call(limiter);
    loop.busy(20);
    loop.poll();
    expect(isGranted(next)).toBe(false);
    for (const { permit } of uploads) permit?.release();
    expect(isGranted(next)).toBe(true);
  });
});
