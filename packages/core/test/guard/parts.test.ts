import { describe, expect, it } from 'vitest';
import type { Priority } from '../../src/index.ts';
import { Accepts } from '../../src/node/accepts.ts';
import { Controller } from '../../src/node/controller.ts';
import { Cost } from '../../src/node/cost.ts';
import type { EventLoop } from '../../src/node/event-loop.ts';
import { above, memoryLimit, memoryPressure } from '../../src/node/memory.ts';
import { Shedding } from '../../src/node/shedding.ts';
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
    turn.admitted = 3;
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
    expect(turn.met(100)).toBe(82);
    expect(turn.met(100)).toBe(0);
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
    expect(accepts.behind()).toBe(50);
    loop.next();
    expect(accepts.behind()).toBe(50);
    loop.next();
    expect(accepts.behind()).toBe(0);
    loop.accepted();
    loop.work(5);
    expect(accepts.behind()).toBe(0);
  });

  it('is not behind for a few that came one after another', () => {
    expect(accepting(0).accepts.behind()).toBe(0);
    expect(accepting(3).accepts.behind()).toBe(0);
  });
});

describe('the controller', () => {
  /** Lets a server of a hundred a second work for so many seconds, at so many times its load; the delay, and what was shed. */
  function course(times: number, seconds: number, controller = new Controller()) {
    const shed: number[] = [];
    let delay = 0;
    for (let time = 0; time < seconds * 1000; time += 50) {
      controller.update(delay, 50, 50);
      delay = Math.max(0, delay + 50 * (times * (1 - controller.shed) - 1));
      shed.push(controller.shed);
    }
    return { delay, shed, controller };
  }

  it.each([1.5, 2, 5, 10, 50])('finds the part that must be shed at %f times the load', (times) => {
    const { delay, shed } = course(times, 30);
    const late = shed.slice(-100);
    expect(delay).toBeGreaterThan(40);
    expect(delay).toBeLessThan(60);
    expect(Math.min(...late)).toBeGreaterThan(1 - 1 / times - 0.05);
    expect(Math.max(...late)).toBeLessThan(1 - 1 / times + 0.05);
  });

  it('sheds nothing while the delay is below the target', () => {
    expect(course(0.9, 5).controller.shed).toBe(0);
  });

  it('forgets an overload within two seconds', () => {
    const { controller } = course(10, 10);
    course(0.5, 2, controller);
    expect(controller.shed).toBe(0);
  });

  it('is not shut by one long turn, and never quite', () => {
    const controller = new Controller();
    controller.update(60_000, 50, 60_000);
    expect(controller.shed).toBeLessThan(0.95);
    for (let count = 0; count < 100; count++) controller.update(60_000, 50, 60_000);
    expect(controller.shed).toBeLessThan(1);
  });

  it('takes a long quiet time for what it is', () => {
    const { controller } = course(10, 10);
    controller.update(0, 50, 60_000);
    expect(controller.shed).toBe(0);
  });
});

describe('shedding', () => {
  const classes: readonly Priority[] = ['critical', 'high', 'normal', 'low', 'sheddable'];

  /** Of a hundred of each class, how many are shed under this pressure. */
  function shed(pressure: number, of = classes): number[] {
    const shedding = new Shedding();
    for (const priority of of) {
      for (let count = 0; count < 100; count++) shedding.arrived(priority);
    }
    shedding.update(0, 50, 0, 50, pressure);
    return of.map((priority) => {
      let count = 0;
      for (let index = 0; index < 100; index++) if (shedding.sheds(priority)) count++;
      return count;
    });
  }

  it.each([
    [0, [0, 0, 0, 0, 0]],
    [0.1, [0, 0, 0, 0, 50]],
    [0.3, [0, 0, 0, 50, 100]],
    [0.5, [0, 0, 50, 100, 100]],
    [1, [100, 100, 100, 100, 100]],
  ])('takes %f of all from the lowest classes', (pressure, expected) => {
    const counts = shed(pressure);
    for (const [index, count] of counts.entries()) {
      expect(Math.abs(count - (expected[index] ?? 0))).toBeLessThanOrEqual(1);
    }
  });

  it('takes it evenly, not in bunches', () => {
    const shedding = new Shedding();
    shedding.arrived('normal');
    shedding.update(0, 50, 0, 50, 0.25);
    const course = Array.from({ length: 8 }, () => shedding.sheds('normal'));
    expect(course).toEqual([false, false, false, true, false, false, false, true]);
  });

  it('spares a class of which nobody has come, while there are lower ones to take', () => {
    const shedding = new Shedding();
    for (let count = 0; count < 10; count++) shedding.arrived('normal');
    shedding.update(0, 50, 0, 50, 0.9);
    expect([shedding.sheds('critical'), shedding.sheds('high')]).toEqual([false, false]);
    expect(shedding.sheds('sheddable')).toBe(true);
  });

  it('a delay that troubles one class need not trouble a higher', () => {
    const shedding = new Shedding();
    for (let count = 0; count < 100; count++) {
      shedding.arrived('normal');
      shedding.arrived('critical');
      shedding.update(120, 50, 0, 50, 0);
    }
    expect(shedding.sheds('normal')).toBe(true);
    expect(shedding.sheds('critical')).toBe(false);
  });
});

describe('the cost of a request', () => {
  function busy(admitted: number, work: number, idle: number, times: number) {
    const loop = new Loop();
    const cost = new Cost(loop);
    for (let count = 0; count < times; count++) {
      for (let index = 0; index < admitted; index++) cost.admitted(loop.time);
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
    for (let index = 0; index < 100; index++) cost.admitted(loop.time);
    expect(cost.ahead(loop.time)).toBe(0);
    const { cost: few } = busy(0, 50, 0, 40);
    for (let index = 0; index < 10; index++) few.admitted(0);
    expect(few.ahead(0)).toBe(0);
  });

  it('adds up otherwise, and is worked off a little faster than it seems', () => {
    const { cost, loop } = busy(5, 50, 0, 40);
    loop.work(100);
    for (let index = 0; index < 6; index++) cost.admitted(loop.time);
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
