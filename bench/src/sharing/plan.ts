import type { Plans } from '../run-parts.ts';

/** How long everything takes: milliseconds, and how often. */
export interface Plan {
  rounds: number;
  /** One caller of one process. */
  alone: number;
  /** Crowds, and before wakes: before anything is counted. */
  warmUp: number;
  /** Crowds: what is counted. */
  crowd: number;
  /** The same where the work is long, and a turn of the whole line takes a second. */
  slowCrowd: number;
  /** Crowds behind the proxy. */
  counted: number;
  /** Times that one waits for another process. */
  wakes: number;
  /** For which waiters do nothing but wait. */
  idle: number;
  /** Acquires and releases, whose traces are looked at. */
  cycles: number;
}

const full: Plan = {
  rounds: 3,
  alone: 1_000,
  warmUp: 3_000,
  crowd: 4_000,
  slowCrowd: 8_000,
  counted: 2_000,
  wakes: 400,
  idle: 12_000,
  cycles: 200_000,
};

const quick: Plan = {
  rounds: 1,
  alone: 300,
  warmUp: 1_000,
  crowd: 800,
  slowCrowd: 3_000,
  counted: 500,
  wakes: 40,
  idle: 4_000,
  cycles: 20_000,
};

export const plans: Plans<Plan> = { full, quick };
