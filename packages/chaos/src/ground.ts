import type { Store } from '@headgate/core/shared';
import type { FaultyProxy } from '@headgate/test-servers';
import type { Fault } from './faults/fault.ts';

/** The servers of a scene, and the ways to them. */
export interface Ground {
  /** The way of each worker to the server; none where there are several servers. */
  readonly proxies: readonly FaultyProxy[];
  /** What can befall the servers. */
  readonly faults: readonly Fault[];
  /** Asks the servers themselves how a limit stands. */
  readonly store: Store;
  /** What the program of this worker is told of its way to them. */
  way(worker: Place): unknown;
  stop(): Promise<void>;
}

/** Of a worker among the others: another takes it when that one is killed. */
export interface Place {
  readonly slot: number;
  /** Of this worker alone. */
  readonly name: string;
}

/** What a ground is made for. */
export interface GroundOptions extends Times {
  /** How many workers there are. */
  readonly size: number;
  readonly limits: readonly number[];
}

/** Milliseconds. */
export interface Times {
  readonly lease: number;
  readonly timeout: number;
}

/** A kind of store, and where it is put to the test. */
export interface Subject extends Times {
  /** Calls `serve`. */
  readonly worker: URL;
  /**
   * Milliseconds for which a lease is certain, from when it was asked for: less than all of it where the store takes
   * the end of a connection for the end of its process.
   */
  readonly certain: number;
  /**
   * Milliseconds after which others get what a process held that has died, at the latest, where nothing else is wrong.
   */
  readonly back: number;
  /**
   * Faults that cost no permit where nothing else is wrong, by their names, and for how many milliseconds they may last:
   * what the documentation of the store promises.
   */
  readonly costless: Readonly<Record<string, number>>;
  readonly grounds: Readonly<Record<string, (options: GroundOptions) => Promise<Ground>>>;
}
