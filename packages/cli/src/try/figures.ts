import { type Attempt, type Outcome, type Phase, quantile } from '../load/index.ts';

/** One start of the server: its capacity, and what became of a spike. */
export interface Pass {
  readonly isHooked: boolean;
  /** Answers per second to clients that wait for them. The rates of the phases are multiples of it. */
  readonly capacity: number;
  readonly phases: readonly Phase[];
  readonly attempts: readonly Attempt[];
}

/** The figures of a pass. Shares are from 0 to 1; waits are in milliseconds. */
export type Figures = Readonly<ReturnType<typeof figuresOf>>;

export function figuresOf({ capacity, phases, attempts }: Pass) {
  const of = (name: string) => attempts.filter(({ phase }) => phase === name);
  const spike = of('spike');
  const waits = spike.filter(({ outcome }) => outcome === 'answered').map(({ took }) => took);
  const { from, to } = spanOf(phases, 'spike');
  const late = attempts.map((attempt) => attempt.late);
  return {
    capacity,
    /** The shares of requests that were answered in time before the spike, and from a second after it. */
    before: shareOf(of('before'), 'answered'),
    afterwards: shareOf(of('afterwards'), 'answered'),
    /** Answers in time during the spike, relative to the capacity. */
    spike: answersPerSecond(attempts, from, to) / capacity,
    p50: quantile(waits, 0.5),
    p99: quantile(waits, 0.99),
    /** The shares of the requests of the spike. */
    rejected: shareOf(spike, 'rejected'),
    gaveUp: shareOf(spike, 'gaveUp'),
    failed: shareOf(spike, 'failed'),
    /** How late the generator was (p99). */
    late: quantile(late, 0.99),
  };
}

function shareOf(attempts: readonly Attempt[], outcome: Outcome): number {
  return attempts.filter((attempt) => attempt.outcome === outcome).length / attempts.length;
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

/** The median of each figure. */
export function mediansOf(all: readonly Figures[]): Figures {
  const medians = Object.keys(all[0] ?? {}).map((name) => {
    const values = all.map((figures) => figures[name as keyof Figures]);
    return [name, quantile(values, 0.5)];
  });
  return Object.fromEntries(medians);
}
