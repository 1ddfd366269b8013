/** What every shared limit is measured as, in each of its processes. */
export interface Contender {
  /** Resolves when the caller is let in. */
  acquire(): Promise<Place>;
  /** Resolves when Redis has answered what was sent last, where `release` does not. */
  settled?(): Promise<unknown>;
  /** Lease operations sent so far, by what they are; where the contender batches them, commands do not tell. */
  readonly operations?: Readonly<Record<string, number>>;
}

export interface Place {
  release(): unknown;
}

/** Whom a process is, and where. */
export interface Setting {
  contender: string;
  /** Of Redis, or of a proxy before it. */
  port: number;
  /** Of the limit: the same in all processes that share it. */
  name: string;
  limit: number;
  /** Milliseconds. */
  lease: number;
  /** What `raw` sends in place of an acquire and of a release. */
  commands?: readonly Command[];
}

/** A command as a client is told it: its name and its arguments. */
export type Command = readonly [name: string, ...args: string[]];

export type Open = (setting: Setting) => Promise<Contender>;

/** Nobody gives up while it is measured. */
export const patience = 60_000;
