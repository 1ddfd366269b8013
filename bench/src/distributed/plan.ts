import type { Plans } from '../run-parts.ts';

/** Durations in milliseconds, and counts. */
export interface DistributedPlan {
  rounds: number;
  /** A single caller. */
  alone: number;
  /** The warm-up of crowds and wakes. */
  warmUp: number;
  /** The measured time of crowds. */
  crowd: number;
  /** The measured time of crowds with long work: serving their whole queue takes a second. */
  slowCrowd: number;
  /** The measured time of crowds behind the proxy. */
  counted: number;
  /** Number of wakes across processes. */
  wakes: number;
  /** The time in which waiters only wait. */
  idle: number;
  /** Number of acquires and releases whose storage is measured. */
  cycles: number;
}

const full: DistributedPlan = {
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

const quick: DistributedPlan = {
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

export const plans: Plans<DistributedPlan> = { full, quick };
