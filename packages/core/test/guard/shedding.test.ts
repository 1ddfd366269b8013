import { describe, expect, it } from 'vitest';
import type { Priority } from '../../src/index.ts';
import { Controller } from '../../src/node/controller.ts';
import { Shedding } from '../../src/node/shedding.ts';

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
  const calm = { delay: 0, target: 50, minTarget: 0, elapsed: 50, pressure: 0 };
  const classes: readonly Priority[] = ['critical', 'high', 'normal', 'low', 'sheddable'];

  /** Of a hundred of each class, how many are shed under this pressure. */
  function shed(pressure: number, of = classes): number[] {
    const shedding = new Shedding();
    for (const priority of of) {
      for (let count = 0; count < 100; count++) shedding.arrived(priority);
    }
    shedding.update({ ...calm, pressure });
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
    shedding.update({ ...calm, pressure: 0.25 });
    const course = Array.from({ length: 8 }, () => shedding.sheds('normal'));
    expect(course).toEqual([false, false, false, true, false, false, false, true]);
  });

  it('spares a class of which nobody has come, while there are lower ones to take', () => {
    const shedding = new Shedding();
    for (let count = 0; count < 10; count++) shedding.arrived('normal');
    shedding.update({ ...calm, pressure: 0.9 });
    expect([shedding.sheds('critical'), shedding.sheds('high')]).toEqual([false, false]);
    expect(shedding.sheds('sheddable')).toBe(true);
  });

  it('a delay that troubles one class need not trouble a higher', () => {
    const shedding = new Shedding();
    for (let count = 0; count < 100; count++) {
      shedding.arrived('normal');
      shedding.arrived('critical');
      shedding.update({ ...calm, delay: 120 });
    }
    expect(shedding.sheds('normal')).toBe(true);
    expect(shedding.sheds('critical')).toBe(false);
  });
});
