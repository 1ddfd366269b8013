/** What a simulation has come to, beside what others have published of theirs. */
export interface Figure {
  readonly what: string;
  readonly published: string;
  readonly measured: number;
  /** From and to. */
  readonly expected: readonly [number, number];
}

/** A simulation to be run, copied and changed. */
export interface Scenario {
  readonly name: string;
  /** Who has published the figures. */
  readonly source: string;
  run(): readonly Figure[];
}

export function holds({ measured, expected: [least, most] }: Figure): boolean {
  return measured >= least && measured <= most;
}
