import type { Point } from './plot/panel.ts';
import type { Simulation } from './simulation.ts';

/** Samples a value every `every` milliseconds. */
export function watch(simulation: Simulation, every: number, read: () => number): Point[] {
  const points: Point[] = [];
  const sample = () => {
    points.push([simulation.now() / 1000, read()]);
    simulation.setTimeout(sample, every);
  };
  simulation.setTimeout(sample, every);
  return points;
}

/** A counter, and its rate per second over time. */
export class Counter {
  count = 0;
  readonly perSecond: Point[];

  constructor(simulation: Simulation, every: number) {
    let last = 0;
    this.perSecond = watch(simulation, every, () => {
      const grown = this.count - last;
      last = this.count;
      return (grown * 1000) / every;
    });
  }
}

/** Collects values, and computes their mean over time: NaN for an interval without values. */
export class Gauge {
  #sum = 0;
  #count = 0;
  readonly means: Point[];

  constructor(simulation: Simulation, every: number) {
    this.means = watch(simulation, every, () => {
      const average = this.#sum / this.#count;
      this.#sum = 0;
      this.#count = 0;
      return average;
    });
  }

  note(value: number): void {
    this.#sum += value;
    this.#count++;
  }
}

export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** The mean of the points after `from` up to `to`, in seconds. */
export function meanBetween(points: readonly Point[], from: number, to: number): number {
  const values = points.flatMap(([time, value]) =>
    time > from && time <= to && !Number.isNaN(value) ? [value] : [],
  );
  return mean(values);
}
