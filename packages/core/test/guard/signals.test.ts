import { describe, expect, it } from 'vitest';
import { AcceptQueue } from '../../src/node/accept-queue.ts';
import { Cost } from '../../src/node/cost.ts';
import type { MeasuredLoop } from '../../src/node/event-loop.ts';
import { LoopIteration } from '../../src/node/loop-iteration.ts';

/** An event loop controlled by the test. */
class Loop implements MeasuredLoop {
  time = 0;
  turn = 0;
  idled = 0;
  accepted: () => void = () => {};
  now = () => this.time;
  iterations = () => this.turn;
  idle = () => this.idled;
  onAccept(accepted: () => void): void {
    this.accepted = accepted;
  }

  work(milliseconds: number): void {
    this.time += milliseconds;
  }

  /** Starts the next iteration after this many idle milliseconds. */
  next(idle = 0): void {
    this.turn++;
    this.time += idle;
    this.idled += idle;
  }
}

describe('a loop iteration', () => {
  it('its age starts at its first request', () => {
    const loop = new Loop();
    const turn = new LoopIteration(loop);
    const ages: number[] = [];
    for (const work of [10, 20, 0]) {
      turn.note(loop.time);
      ages.push(turn.age);
      loop.work(work);
    }
    loop.next();
    turn.note(loop.time);
    expect([...ages, turn.age]).toEqual([0, 10, 30, 0]);
  });

  it('measures the busy time of the previous iteration without its idle time', () => {
    const loop = new Loop();
    const turn = new LoopIteration(loop);
    turn.admit();
    loop.work(40);
    loop.next(60);
    turn.note(loop.time);
    expect([turn.previousBusy, turn.admitted]).toEqual([40, 0]);
    loop.work(30);
    loop.next();
    loop.next();
    loop.next();
    turn.note(loop.time);
    expect(turn.previousBusy).toBe(10);
  });

  it('its mean length is weighted by length', () => {
    const loop = new Loop();
    const turn = new LoopIteration(loop);
    for (const work of [90, 10]) {
      loop.work(work);
      loop.next();
      turn.note(loop.time);
    }
    expect(turn.takeMeanLength(100)).toBe(82);
    expect(turn.takeMeanLength(100)).toBe(0);
  });
});

describe('the accept backlog', () => {
  function accepting(turns: number) {
    const loop = new Loop();
    const acceptQueue = new AcceptQueue(loop);
    for (let count = 0; count < turns; count++) {
      loop.next();
      loop.accepted();
      loop.work(10);
    }
    return { loop, acceptQueue };
  }

  it('its wait starts at the last iteration without a connection', () => {
    const { loop, acceptQueue } = accepting(5);
    expect(acceptQueue.longestWait()).toBe(50);
    loop.next();
    expect(acceptQueue.longestWait()).toBe(50);
    loop.next();
    expect(acceptQueue.longestWait()).toBe(0);
    loop.accepted();
    loop.work(5);
    expect(acceptQueue.longestWait()).toBe(0);
  });

  it('a few consecutive connections do not count as a backlog', () => {
    expect(accepting(0).acceptQueue.longestWait()).toBe(0);
    expect(accepting(3).acceptQueue.longestWait()).toBe(0);
  });
});

describe('the cost of a request', () => {
  function busy(admitted: number, work: number, idle: number, times: number) {
    const loop = new Loop();
    const cost = new Cost(loop);
    for (let count = 0; count < times; count++) {
      for (let index = 0; index < admitted; index++) cost.admit(loop.time);
      loop.work(work);
      loop.next(idle);
      cost.update(work + idle);
    }
    return { loop, cost };
  }

  it('is the busy time of the loop divided by the admitted requests', () => {
    expect(busy(5, 50, 0, 40).cost.perRequest).toBeCloseTo(10);
    expect(busy(5, 25, 25, 40).cost.perRequest).toBeCloseTo(5);
  });

  it('holds back no requests while the loop has spare time or too few samples', () => {
    const { cost, loop } = busy(5, 25, 25, 40);
    for (let index = 0; index < 100; index++) cost.admit(loop.time);
    expect(cost.ahead(loop.time)).toBe(0);
    const { cost: fewRequests } = busy(0, 50, 0, 40);
    for (let index = 0; index < 10; index++) fewRequests.admit(0);
    expect(fewRequests.ahead(0)).toBe(0);
  });

  it('accumulates without spare time, and is worked off slightly faster than measured', () => {
    const { cost, loop } = busy(5, 50, 0, 40);
    loop.work(100);
    for (let index = 0; index < 6; index++) cost.admit(loop.time);
    expect(cost.ahead(loop.time)).toBeCloseTo(60);
    loop.work(10);
    expect(cost.ahead(loop.time)).toBeGreaterThan(47);
    expect(cost.ahead(loop.time)).toBeLessThan(50);
    loop.work(100);
    expect(cost.ahead(loop.time)).toBe(0);
  });
});
