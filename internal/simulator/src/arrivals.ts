import type { Simulation } from './simulation.ts';

/** Requests per second, which may depend on the time. */
export type Rate = number | ((now: number) => number);

/** Returns the base rate, except between `from` and `to` (in seconds). */
export function burst(
  base: number,
  { from, to, perSecond }: { from: number; to: number; perSecond: number },
): Rate {
  return (now) => (now >= from * 1000 && now < to * 1000 ? perSecond : base);
}

/** Poisson arrivals (open loop): they do not depend on the answers to earlier requests. */
export function arrive(simulation: Simulation, rate: Rate, request: () => void): void {
  const next = () => {
    const perSecond = typeof rate === 'number' ? rate : rate(simulation.now());
    // A rate of 0 is checked again 10 ms later.
    const delay = perSecond > 0 ? (-1000 / perSecond) * Math.log(1 - simulation.random()) : 10;
    simulation.setTimeout(() => {
      if (perSecond > 0) request();
      next();
    }, delay);
  };
  next();
}

/** `count` arrivals at even intervals, starting now. */
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
