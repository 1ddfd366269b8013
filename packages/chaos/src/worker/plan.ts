import type { Event } from '../log/event.ts';

/** What a worker is told at its start. */
export interface Plan {
  readonly worker: string;
  readonly seed: number;
  /** As the ground says: what its store is made of. */
  readonly way: unknown;
  readonly limits: readonly number[];
  /** How many ask at once, of each limit. */
  readonly callers: number;
  /** Milliseconds. */
  readonly lease: number;
  readonly timeout: number;
  /** Milliseconds that the worker's `Date` is off. */
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

/** What a worker says. */
export type Said = { readonly ready: true } | { readonly event: Event } | Write | Probed;

/** Whether the worker got a permit at once. */
interface Probed {
  readonly probed: number;
  readonly limit: number;
  readonly admitted: boolean;
}

/** What a worker is told. */
export type Order =
  /** Ask for permits, with pauses of so many milliseconds at most; or not: what is at work ends soon. */
  | { readonly load: number | false }
  /** Take one permit, within so many milliseconds, and keep it until `release`. */
  | { readonly probe: number; readonly limit: number; readonly patience: number }
  | { readonly release: true }
  | { readonly written: number }
  | { readonly clock: number };
