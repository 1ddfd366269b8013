import type { Attempt, Outcome, Phase } from '../load/index.ts';

/** One start of the server: its capacity, and what became of a spike. */
export interface Pass {
  readonly isHooked: boolean;
  /** Answers per second to clients that wait for them. The rates of the phases are multiples of it. */
  readonly capacity: number;
  readonly phases: readonly Phase[];
  readonly attempts: readonly Attempt[];
}

/** The figures of a pass. Shares are from 0 to 1; waits are in milliseconds. */
export interface Figures {
  readonly capacity: number;
  /** The shares of requests that were answered in time before the spike, and from a second after it. */
  readonly before: number;
  readonly afterwards: number;
  /** Answers in time during the spike, relative to the capacity. */
  readonly spike: number;
  readonly p50: number;
  readonly p99: number;
  /** The shares of the requests of the spike. */
  readonly rejected: number;
  readonly gaveUp: number;
  readonly failed: number;
  /** How late the generator was (p99). */
  readonly late: number;
}

/** The smallest value that at least this share of the values do not exceed; NaN without values. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
}

/** The span of a phase in milliseconds from the start. */
export function spanOf(phases: readonly Phase[], name: string): { from: number; to: number } {
  const index = phases.findIndex((phase) => phase.name === name);
  const from = phases.slice(0, index).reduce((sum, { duration }) => sum + duration, 0);
  return { from, to: from + (phases[index]?.duration ?? 0) };
}

/** The answers that arrived in a span, per second. */
export function answersPerSecond(attempts: readonly Attempt[], from: number, to: number): number {
  const arrived = attempts.filter(({ outcome, at, took }) => {
    return outcome === 'answered' && at + took >= from && at + took < to;
  });
  return (1_000 * arrived.length) / (to - from);
}

export function figuresOf({ capacity, phases, attempts }: Pass): Figures {
  const of = (name: string) => attempts.filter(({ phase }) => phase === name);
  const spike = of('spike');
  const waits = spike.filter(({ outcome }) => outcome === 'answered').map(({ took }) => took);
  const { from, to } = spanOf(phases, 'spike');
  return {
    capacity,
    before: shareOf(of('before'), 'answered'),
    afterwards: shareOf(of('afterwards'), 'answered'),
    spike: answersPerSecond(attempts, from, to) / capacity,
    p50: quantile(waits, 0.5),
    p99: quantile(waits, 0.99),
    rejected: shareOf(spike, 'rejected'),
    gaveUp: shareOf(spike, 'gaveUp'),
    failed: shareOf(spike, 'failed'),
    late: quantile(
      attempts.map(({ late }) => late),
      0.99,
    ),
  };
}

function shareOf(attempts: readonly Attempt[], outcome: Outcome): number {
  return attempts.filter((attempt) => attempt.outcome === outcome).length / attempts.length;
}

/** The median of each figure. */
export function mediansOf(all: readonly Figures[]): Figures {
  const names = Object.keys(all[0] ?? {}) as (keyof Figures)[];
  const median = (name: keyof Figures) =>
    quantile(
      all.map((figures) => figures[name]),
      0.5,
    );
  return Object.fromEntries(names.map((name) => [name, median(name)])) as unknown as Figures;
}
