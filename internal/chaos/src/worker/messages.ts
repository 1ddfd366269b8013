import type { Event } from '../log/event.ts';

/** What a worker receives at its start. */
export interface Plan {
  readonly worker: string;
  readonly seed: number;
  /** The environment's connection settings for the worker's store. */
  readonly connectionSettings: unknown;
  readonly limits: readonly number[];
  /** The number of concurrent callers per limit. */
  readonly callers: number;
  /** Milliseconds. */
  readonly lease: number;
  readonly timeout: number;
  /** The offset of the worker's `Date` in milliseconds. */
  readonly clock: number;
}

/** A write with a fencing token, to the resource that checks it. */
export interface Write {
  readonly write: number;
  readonly worker: string;
  readonly limit: number;
  readonly call: number;
  readonly from: number;
  readonly fencing: string | undefined;
}

/** A message of a worker. */
export type WorkerMessage = { readonly ready: true } | { readonly event: Event } | Write | Probed;

/** Whether the worker acquired the permit. */
interface Probed {
  readonly probed: number;
  readonly limit: number;
  readonly admitted: boolean;
}

/** Another limit, or one of the operations of a limiter. */
export type ChaosOperation = number | 'pause' | 'rejectAll' | 'resume' | 'shadow' | 'enforce';

export interface Comparison {
  readonly comparison: number;
  readonly limit: number;
  readonly expected: string | undefined;
}

/** A message to a worker. */
export type WorkerCommand =
  /**
   * Starts the callers, which pause between two calls for at most this many milliseconds. `false` stops them, and their
   * work ends soon.
   */
  | { readonly load: number | false }
  /** Acquires one permit within `queueTimeout` milliseconds, and holds it until `release`. */
  | { readonly probe: number; readonly limit: number; readonly queueTimeout: number }
  | { readonly release: true }
  | ({ readonly operate: ChaosOperation } & { readonly limit: number })
  /** Calls the store once, and then reports what the worker knows of the limit. */
  | Comparison
  | { readonly written: number }
  | { readonly clock: number };
