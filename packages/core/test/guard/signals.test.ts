import { describe, expect, it } from 'vitest';
import { Accepts } from '../../src/node/accepts.ts';
import { Cost } from '../../src/node/cost.ts';
import type { EventLoop } from '../../src/node/event-loop.ts';
import { above, memoryLimit, memoryPressure } from '../../src/node/memory.ts';
import { Turn } from '../../src/node/turn.ts';

/** An event loop that does what the test says. */
class Loop implements EventLoop {
  time = 0;
  turn = 0;
  idled = 0;
  accepted: () => void = () => {};
  now = () => this.time;
  turns = () => this.turn;
  idle = () => this.idled;
  onAccept(accepted: () => void): void {
    this.accepted = accepted;
  }

  work(milliseconds: number): void {
    this.time += milliseconds;
  }

  /** Begins the next turn, after so many milliseconds in which there was nothing to do. */
  next(idle = 0): void {
    this.turn++;
    this.time += idle;
    this.idled += idle;
  }
}

describe('a turn', () => {
  it('is as old as its first request', () => {
    const loop = new Loop();
    const turn = new Turn(loop);
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

  it('knows for how long the one before has kept the loop busy, waiting apart', () => {
    const loop = new Loop();
    const turn = new Turn(loop);
    turn.admit();
    loop.work(40);
    loop.next(60);
    turn.note(loop.time);
    expect([turn.before, turn.admitted]).toEqual([40, 0]);
    loop.work(30);
    loop.next();
    loop.next();
    loop.next();
    turn.note(loop.time);
    expect(turn.before).toBe(10);
  });

  it('is met as often as it is long', () => {
    const loop = new Loop();
    const turn = new Turn(loop);
    for (const work of [90, 10]) {
      loop.work(work);
      loop.next();
      turn.note(loop.time);
    }
    expect(turn.takeMeanLength(100)).toBe(82);
    expect(turn.takeMeanLength(100)).toBe(0);
  });
});

describe('accepting connections', () => {
  function accepting(turns: number) {
    const loop = new Loop();
    const accepts = new Accepts(loop);
    for (let count = 0; count < turns; count++) {
      loop.next();
      loop.accepted();
      loop.work(10);
    }
    return { loop, accepts };
  }

  it('is behind since the last turn in which no connection came', () => {
    const { loop, accepts } = accepting(5);
    expect(accepts.longestWait()).toBe(50);
    loop.next();
    expect(accepts.longestWait()).toBe(50);
    loop.next();
    expect(accepts.longestWait()).toBe(0);
    loop.accepted();
    loop.work(5);
    expect(accepts.longestWait()).toBe(0);
  });

  it('is not behind for a few that came one after another', () => {
    expect(accepting(0).accepts.longestWait()).toBe(0);
    expect(accepting(3).accepts.longestWait()).toBe(0);
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

  it('is the time for which the loop was busy, shared by those who were let in', () => {
    expect(busy(5, 50, 0, 40).cost.each).toBeCloseTo(10);
    expect(busy(5, 25, 25, 40).cost.each).toBeCloseTo(5);
  });

  it('holds nobody back while the loop has time to spare, or has served too few to tell', () => {
    const { cost, loop } = busy(5, 25, 25, 40);
    for (let index = 0; index < 100; index++) cost.admit(loop.time);
    expect(cost.ahead(loop.time)).toBe(0);
    const { cost: few } = busy(0, 50, 0, 40);
    for (let index = 0; index < 10; index++) few.admit(0);
    expect(few.ahead(0)).toBe(0);
  });

  it('adds up otherwise, and is worked off a little faster than it seems', () => {
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

describe('the memory', () => {
  it.each([
    [0.8, 0.5, 0],
    [0.8, 0.8, 0],
    [0.8, 0.9, 0.5],
    [0.8, 1, 1],
    [0.8, 1.2, 1],
    [1, 0.99, 0],
    [1, 1, 1],
  ])('above a ceiling of %f with %f in use, this part is shed: %f', (ceiling, used, part) => {
    expect(above(ceiling, used)).toBeCloseTo(part);
  });

  it.each([
    ['the share of the container', 1000, 4000, 1000],
    ['the machine where there is no share', 0, 4000, 4000],
    ['the machine where that is not known', undefined, 4000, 4000],
    ['the machine where the share is larger', 2 ** 64, 4000, 4000],
  ])('is that of %s', (_, share, machine, expected) => {
    expect(memoryLimit(share, machine)).toBe(expected);
  });

  it('is asked of this process', () => {
    expect(memoryPressure(undefined, undefined)).toBe(0);
    expect(memoryPressure(1, 1)).toBe(0);
    expect(memoryPressure(1e-9, undefined)).toBeGreaterThan(0);
    expect(memoryPressure(undefined, 1e-9)).toBeGreaterThan(0);
  });
});
