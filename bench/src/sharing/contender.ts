/** What every shared limit is measured as, in each of its processes. */
export interface Contender {
  /** Resolves when the caller is let in. */
  acquire(): Promise<Place>;
  /** Resolves when the store has answered what was sent last, where `release` does not. */
  settled?(): Promise<unknown>;
  /** Lease operations sent so far, by what they are; where the contender batches them, commands do not tell. */
  readonly operations?: Readonly<Record<string, number>>;
}

export interface Place {
  release(): unknown;
}

/** What a process is told when it starts. */
export interface Setting {
  /** By its name in `contenders.ts`. */
  contender: string;
  /** Of the server, or of a proxy before it. */
  port: number;
  /** Of the limit: the same in all processes that share it. */
  name: string;
  limit: number;
  /** Milliseconds. */
  lease: number;
}

export type Open<S extends Setting = Setting> = (setting: S) => Promise<Contender>;

/** Nobody gives up while it is measured. */
export const patience = 60_000;
