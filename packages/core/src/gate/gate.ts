import type { CloseOptions } from '../limiter/ledger.ts';
import type { LimiterStats, WaitOptions } from '../limiter/limiter.ts';
import type { Permit } from '../limiter/permit.ts';
import type { Waiter } from '../limiter/waiter.ts';
import type { GateLimit } from './gate-limits.ts';
import type { TakeOptions, Takes } from './takes.ts';

export interface GateWaitOptions
  extends TakeOptions,
    Pick<WaitOptions, 'signal' | 'queueTimeout' | 'priority' | 'party'> {}

/** A gate in numbers: requests, where its limits count weight. */
export interface GateStats extends Omit<LimiterStats, 'limit' | 'keys'> {
  /** Each limit in numbers, in the gate's order. */
  readonly limits: readonly LimiterStats[];
}

/** Several limits that one request must pass together: one line, one deadline and one count for the whole way. */
export interface Gate {
  readonly name: string;
  readonly limits: readonly GateLimit[];
  /** Requests that hold a permit. */
  readonly inflight: number;
  /** Requests that wait, at whichever limit. */
  readonly queued: number;
  /**
   * Answers the waiter now or later, once. Of the waiter's own fields only `queueTimeout`, `priority` and `party` are read;
   * the others may be overwritten. Throws on takes that can never be had.
   */
  request(waiter: Waiter, takes: Takes): void;
  /** The caller went away; no answer follows. Does nothing for one that does not wait here. */
  withdraw(waiter: Waiter): void;
  /** Rejects with a `RejectedError`, or with the signal's reason. */
  acquire(options?: GateWaitOptions): Promise<Permit>;
  /** Acquires, calls, releases. */
  run<T>(fn: (permit: Permit) => T | PromiseLike<T>, options?: GateWaitOptions): Promise<T>;
  /** As a limiter's; closes only the limiters that the gate has made. */
  close(options?: CloseOptions): Promise<number>;
  stats(): GateStats;
}
