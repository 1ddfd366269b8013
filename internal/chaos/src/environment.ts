import type { Endpoints, Fault } from './faults/fault.ts';
import type { WorkerSlot } from './workers.ts';

/** An environment: servers, and the connections to them. */
export interface Environment extends Endpoints {
  /** The faults of these servers. */
  readonly faults: readonly Fault[];
  /** The process ID of the server, if there is only one server and it is known. */
  pid?(): number | undefined;
  /** The connection settings that this worker's program receives. */
  connectionSettings(worker: WorkerSlot): unknown;
  stop(): Promise<void>;
}

/** The parameters of an environment. */
export interface EnvironmentOptions extends Times {
  /** The number of workers. */
  readonly size: number;
  readonly limits: readonly number[];
}

/** Milliseconds. */
export interface Times {
  readonly lease: number;
  readonly timeout: number;
}

/** A kind of store, and the environments in which it is tested. */
export interface StoreUnderTest extends Times {
  /** The program of a worker, which calls `serve`. */
  readonly worker: URL;
  /**
   * After a lease was requested, it certainly exists for this many milliseconds. This is less than the whole lease if the
   * store treats the end of a connection as the end of its process.
   */
  readonly certain: number;
  /**
   * Maximum time in milliseconds until the permits of a dead process are available to others, if there is no other
   * fault.
   */
  readonly maxRecovery: number;
  /**
   * Faults that must cost no permit if there is no other fault, and the maximum duration of each in milliseconds, as
   * the store's documentation promises.
   */
  readonly maxDurationWithoutLoss: Readonly<Record<string, number>>;
  readonly environments: Readonly<
    Record<string, (options: EnvironmentOptions) => Promise<Environment>>
  >;
}
