/** The common interface of the distributed limits compared, in each of their processes. */
export interface Contender {
  /** Resolves when a permit is granted. */
  acquire(): Promise<Held>;
  /** Resolves when the store has answered the last request, if `release` does not wait for that. */
  settled?(): Promise<unknown>;
  /**
   * Number of lease operations sent so far, by kind. Needed if the contender batches them, because the number of
   * commands then says little.
   */
  readonly operations?: Readonly<Record<string, number>>;
}

export interface Held {
  release(): unknown;
}

/** The settings of a process. */
export interface Setting {
  /** Its name in `contenders.ts`. */
  contender: string;
  /** The port of the server, or of a proxy in front of it. */
  port: number;
  /** The limit's name, which is the same in all processes. */
  name: string;
  limit: number;
  /** The length of a lease in milliseconds. */
  lease: number;
  /** Number of limits, used in turn; their names begin with `name`. Default: one. */
  names?: number;
}

export type Open<S extends Setting = Setting> = (setting: S) => Promise<Contender>;

/** A timeout in milliseconds that is never reached during a measurement. */
export const acquireTimeout = 60_000;
