/** The common interface of the measured distributed limits, in each of their processes. */
export interface Contender {
  /** Resolves when the permit is granted. */
  acquire(): Promise<Place>;
  /** Resolves when the store has answered the latest call, for contenders whose `release` does not wait. */
  settled?(): Promise<unknown>;
  /**
   * Lease operations sent so far, by verb; needed if the contender batches them, because the number of commands is then
   * lower.
   */
  readonly operations?: Readonly<Record<string, number>>;
}

export interface Place {
  release(): unknown;
}

/** The settings of a process. */
export interface Setting {
  /** The name in `contenders.ts`. */
  contender: string;
  /** Port of the server, or of a proxy in front of it. */
  port: number;
  /** Name of the limit, which all processes share. */
  name: string;
  limit: number;
  /** Milliseconds. */
  lease: number;
}

export type Open<S extends Setting = Setting> = (setting: S) => Promise<Contender>;

/** Long enough that no caller times out during a measurement. */
export const patience = 60_000;
