import { describe, expect, it } from 'vitest';
import { PiController, Shedding } from '../../src/guard/shedding.ts';
import type { Priority } from '../../src/index.ts';

describe('the controller', () => {
  /**
   * Runs a server with a capacity of 100 per second for some seconds at a multiple of its capacity; returns the delay
   * and the fraction shed.
   */
  function course(times: number, seconds: number, controller = new PiController()) {
    const shed: number[] = [];
    let delay = 0;
    for (let time = 0; time < seconds * 1000; time += 50) {
      controller.update(delay, 50, 50);
      delay = Math.max(0, delay + 50 * (times * (1 - controller.shed) - 1));
      shed.push(controller.shed);
    }
    return { delay, shed, controller };
  }

  it.each([1.5, 2, 5, 10, 50])(
    'finds the fraction to shed at a load of %f times the capacity',
    (times) => {
      const { delay, shed } = course(times, 30);
      const late = shed.slice(-100);
      expect(delay).toBeGreaterThan(40);
      expect(delay).toBeLessThan(60);
      expect(Math.min(...late)).toBeGreaterThan(1 - 1 / times - 0.05);
      expect(Math.max(...late)).toBeLessThan(1 - 1 / times + 0.05);
    },
  );

  it('sheds nothing while the delay is below the target', () => {
    expect(course(0.9, 5).controller.shed).toBe(0);
  });

  it('recovers from an overload within two seconds', () => {
    const { controller } = course(10, 10);
    course(0.5, 2, controller);
    expect(controller.shed).toBe(0);
  });

  it('never sheds all requests, even after a long event-loop iteration', () => {
    const controller = new PiController();
    controller.update(60_000, 50, 60_000);
    expect(controller.shed).toBeLessThan(0.95);
    for (let count = 0; count < 100; count++) controller.update(60_000, 50, 60_000);
    expect(controller.shed).toBeLessThan(1);
  });

  it('admits requests after a long idle time', () => {
    const { controller } = course(10, 10);
    controller.update(0, 50, 60_000);
    expect(controller.shed).toBe(0);
  });
});

describe('shedding', () => {
  const classes: readonly Priority[] = ['critical', 'high', 'normal', 'low', 'sheddable'];

  /** How many of a hundred requests of each priority are shed when this delay is measured for the first time. */
  function shed(delay: number, of = classes): number[] {
    const shedding = new Shedding();
    for (const priority of of) {
      for (let count = 0; count < 100; count++) shedding.arrived(priority);
    }
    shedding.update(delay / 50, 50);
    return of.map((priority) => {
      let count = 0;
      for (let index = 0; index < 100; index++) if (shedding.sheds(priority)) count++;
      return count;
    });
  }

  it.each([
    [0, [0, 0, 0, 0, 0]],
    [6.25, [0, 0, 0, 0, 58]],
    [50, [0, 0, 0, 100, 100]],
    [100, [0, 0, 86, 100, 100]],
    [400, [0, 100, 100, 100, 100]],
  ])('a delay of %f ms sheds the lowest priorities first', (delay, expected) => {
    const counts = shed(delay);
    for (const [index, count] of counts.entries()) {
      expect(Math.abs(count - (expected[index] ?? 0))).toBeLessThanOrEqual(1);
    }
  });

  it('sheds evenly, not in bursts', () => {
    const shedding = new Shedding();
    shedding.arrived('normal');
    shedding.update(1, 50);
    const course = Array.from({ length: 8 }, () => shedding.sheds('normal'));
    expect(course).toEqual([false, false, false, true, false, false, true, false]);
  });

  it('sheds no priority without recent requests while lower priorities have requests', () => {
    const shedding = new Shedding();
    for (let count = 0; count < 10; count++) shedding.arrived('normal');
    shedding.update(1200, 50);
    expect([shedding.sheds('critical'), shedding.sheds('high')]).toEqual([false, false]);
  });

  it('may shed a priority because of a delay that is acceptable for a higher one', () => {
    const shedding = new Shedding();
    for (let count = 0; count < 100; count++) {
      shedding.arrived('normal');
      shedding.arrived('critical');
      shedding.update(2.4, 50);
    }
    expect(shedding.sheds('normal')).toBe(true);
    expect(shedding.sheds('critical')).toBe(false);
  });
});
