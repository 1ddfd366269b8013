import type { Simulation } from './simulation.ts';

/** Requests per second, which may depend on the time. */
export type Rate = number | ((now: number) => number);

/** So many a second, but between two times, in seconds, other ones. */
export function burst(
  usual: number,
  { from, to, perSecond }: { from: number; to: number; perSecond: number },
): Rate {
  return (now) => (now >= from * 1000 && now < to * 1000 ? perSecond : usual);
}

/** Independent arrivals, that is, a Poisson process: they do not wait for each other's answers (open loop). */
export function arrive(simulation: Simulation, rate: Rate, request: () => void): void {
  const next = () => {
    const perSecond = typeof rate === 'number' ? rate : rate(simulation.now());
    // A rate of none is asked for again a moment later.
    const delay = perSecond > 0 ? (-1000 / perSecond) * Math.log(1 - simulation.random()) : 10;
    simulation.setTimeout(() => {
      if (perSecond > 0) request();
      next();
    }, delay);
  };
  next();
}

/** So many arrivals at even distances, from now on. */
export function arriveEvenly(
  simulation: Simulation,
  perSecond: number,
  count: number,
  request: (index: number) => void,
): void {
  for (let index = 0; index < count; index++) {
    simulation.setTimeout(() => request(index), (index * 1000) / perSecond);
  }
}
