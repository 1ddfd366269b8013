import type { Plans } from '../run-parts.ts';

/** Durations in milliseconds, and repetitions. */
export interface Plan {
  rounds: number;
  /** One caller of one process. */
  alone: number;
  /** Warm-up of crowds and wakes. */
  warmUp: number;
  /** Measured duration of crowds. */
  crowd: number;
  /** The same for long work, where a pass through the whole queue takes a second. */
  slowCrowd: number;
  /** Crowds behind the proxy. */
  counted: number;
  /** How often a caller waits for another process. */
  wakes: number;
  /** Duration for which waiters only wait. */
  idle: number;
  /** Number of acquires and releases whose dead rows are measured. */
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
