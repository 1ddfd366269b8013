import type { Phase } from './arrivals.ts';

/** How long everything takes, in seconds, and what is offered. */
export interface Plan {
  /** Times the capacity, rising: the last is the spike after which a server is to come back to normal. */
  multiples: readonly number[];
  /** Of each multiple; its first part is not counted. */
  phase: number;
  uncounted: number;
  /** Half of the capacity before anything is measured, and after the spike. */
  warmUp: number;
  recovery: number;
  /** With critical requests among the others. */
  mixed: number;
  /** A single client that waits for each answer. */
  unloaded: number;
  /** Clients that keep the bare server busy, before and after each case. */
  capacity: number;
  /** As a route's. */
  ownConnections: boolean;
  /** Bursts of half a second for the price of a rejection. */
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

/** What is normal, before the spike and after it. */
export const normal = 0.5;

/** The total load in which critical requests must be served, and their own, both over the capacity. */
export const mix = { total: 5, critical: 0.45 };

export const phaseName = (multiple: number): string => `${multiple} ×`;
export const recoveryName = 'recovery';
export const mixedName = 'mixed';

/** All that a server of this capacity is offered, without a pause. */
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

/** Where a phase begins, in milliseconds. */
export function beginningOf(name: string, all: readonly Phase[]): number {
  const before = all.slice(
    0,
    all.findIndex((phase) => phase.name === name),
  );
  return before.reduce((sum, { duration }) => sum + duration * 1_000, 0);
}
