import type { Phase } from './arrivals.ts';

/** The durations in seconds, and the offered load. */
export interface Plan {
  /** Multiples of the capacity, in ascending order: after the last one, the spike, a server should return to normal. */
  multiples: readonly number[];
  /** Duration of each multiple; its first part is not counted. */
  phase: number;
  uncounted: number;
  /** Duration of half of the capacity, before all measurements and after the spike. */
  warmUp: number;
  recovery: number;
  /** Duration of the phase with critical requests. */
  mixed: number;
  /** Duration with a single client that waits for each answer. */
  unloaded: number;
  /** Duration with enough clients to keep the bare server busy, before and after each case. */
  capacity: number;
  /** A route's latency target. */
  ownConnections: boolean;
  /** Number of half-second bursts that measure the price of a rejection. */
  priceRounds: number;
}

export const fullPlan: Plan = {
  multiples: [0.5, 1, 2, 5, 10],
  phase: 6,
  uncounted: 1,
  warmUp: 3,
  recovery: 4,
  mixed: 8,
  unloaded: 3,
  capacity: 2,
  ownConnections: false,
  priceRounds: 12,
};

export const quickPlan: Plan = {
  multiples: [0.5, 5],
  phase: 1.5,
  uncounted: 0.5,
  warmUp: 0.5,
  recovery: 2.5,
  mixed: 1.5,
  unloaded: 0.3,
  capacity: 0.5,
  ownConnections: false,
  priceRounds: 2,
};

/** Normal load, before the spike and after it. */
export const normal = 0.5;

/** The total load, and that of critical requests, over the capacity. */
export const mix = { total: 5, critical: 0.45 };

export const phaseName = (multiple: number): string => `${multiple} ×`;
export const recoveryName = 'recovery';
export const mixedName = 'mixed';

/** All phases for a server of this capacity, without a pause. */
export function phases(plan: Plan, capacity: number): Phase[] {
  const { multiples, phase, warmUp, recovery, mixed } = plan;
  return [
    { name: 'warm-up', duration: warmUp, rate: normal * capacity },
    ...multiples.map((multiple) => ({
      name: phaseName(multiple),
      duration: phase,
      rate: multiple * capacity,
    })),
    { name: recoveryName, duration: recovery, rate: normal * capacity },
    {
      name: mixedName,
      duration: mixed,
      rate: mix.total * capacity,
      critical: mix.critical / mix.total,
    },
  ];
}

/** The start of a phase in milliseconds. */
export function beginningOf(name: string, all: readonly Phase[]): number {
  const before = all.slice(
    0,
    all.findIndex((phase) => phase.name === name),
  );
  return before.reduce((sum, { duration }) => sum + duration * 1_000, 0);
}
