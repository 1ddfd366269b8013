import { type Arrival as Scheduled, arrivals as scheduled } from 'headgate/load';

/** A period of constant load. */
export interface Phase {
  name: string;
  /** Seconds. */
  duration: number;
  /** Requests per second. */
  rate: number;
  /** The fraction of critical requests. Default: 0. */
  critical?: number;
}

/** A scheduled request. */
export interface Arrival extends Scheduled {
  readonly critical: boolean;
}

/** Consecutive phases, each a Poisson process. Deterministic for a given seed. */
export function arrivals(phases: readonly Phase[], seed: number): Arrival[] {
  const all = phases.map(({ name, duration, rate }) => ({
    name,
    duration: 1_000 * duration,
    rate,
  }));
  const parts = new Map(phases.map(({ name, critical = 0 }) => [name, critical]));
  return scheduled(all, seed).map((arrival) => {
    return { ...arrival, critical: arrival.draw < (parts.get(arrival.phase) ?? 0) };
  });
}
