import type { Phase } from './arrivals.ts';

/** Durations in seconds, and the offered load. */
export interface OverloadPlan {
  /** Multiples of the capacity, ascending. The last one is the spike from which a server must recover. */
  multiples: readonly number[];
  /** How long each multiple is offered, and the first part of that time, which is not measured. */
  phase: number;
  uncounted: number;
  /** Half of the capacity: before the measurement, and after the spike. */
  warmUp: number;
  recovery: number;
  /** With a mix of critical and other requests. */
  mixed: number;
  /** A single client in a closed loop. */
  unloaded: number;
  /** A closed loop that saturates the bare server, before and after each case. */
  capacity: number;
  /** See `Route`. */
  ownConnections: boolean;
  /** Number of half-second bursts to measure the cost of a rejection. */
  rejectionCostRounds: number;
}

export const fullPlan: OverloadPlan = {
  multiples: [0.5, 0.8, 1, 2, 5, 10, 20],
  phase: 6,
  uncounted: 1,
  warmUp: 3,
  recovery: 4,
  mixed: 8,
  unloaded: 3,
  capacity: 2,
  ownConnections: false,
  rejectionCostRounds: 12,
};

export const quickPlan: OverloadPlan = {
  multiples: [0.5, 5],
  phase: 1.5,
  uncounted: 0.5,
  warmUp: 0.5,
  recovery: 2.5,
  mixed: 1.5,
  unloaded: 0.3,
  capacity: 0.5,
  ownConnections: false,
  rejectionCostRounds: 2,
};

/** The first seconds of a spike. */
export interface SpikePlan {
  runs: number;
  /** Seconds at half of the capacity, and of the spike, which follows at once. */
  warmUp: number;
  spike: number;
  /** See `OverloadPlan`. */
  capacity: number;
  ownConnections: boolean;
}

export const spikePlan: SpikePlan = {
  ...{ runs: 6, warmUp: 3, spike: 5, capacity: 2, ownConnections: false },
};

export const quickSpikePlan: SpikePlan = {
  ...{ runs: 2, warmUp: 0.5, spike: 1.5, capacity: 0.5, ownConnections: false },
};

/** The load of the spike, as a multiple of the capacity. */
export const spikeMultiple = 5;

/** The normal load before and after the spike, as a multiple of the capacity. */
export const normal = 0.5;

/** The total load and the critical part of it, as multiples of the capacity. */
export const mix = { total: 5, critical: 0.45 };

export const phaseName = (multiple: number): string => `${multiple} ×`;
export const recoveryName = 'recovery';
export const mixedName = 'mixed';

/** The phases for a server of this capacity, without pauses. */
export function phases(plan: OverloadPlan, capacity: number): Phase[] {
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
