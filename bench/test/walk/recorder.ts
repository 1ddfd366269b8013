import { RECORD } from '../../../scripts/trace-calls.ts';

/** The calls of a trip that follow each other within one file. */
interface Stay {
  readonly file: string;
  readonly names: string[];
}

/** The calls that a request caused, in their order. */
export interface Trip {
  readonly stays: readonly Stay[];
  /** Number of files. */
  readonly files: number;
  /** How often a call led back to a file that had been left. */
  readonly returns: number;
}

const recorded: Stay[] = [];

Object.assign(globalThis, {
  [RECORD](file: string, name: string) {
    const latest = recorded.at(-1);
    if (latest?.file === file) latest.names.push(name);
    else recorded.push({ file, names: [name] });
  },
});

/** Records the calls until these steps have settled. */
export async function tripOf(steps: () => unknown): Promise<Trip> {
  recorded.length = 0;
  await steps();
  const stays = recorded.splice(0);
  const files = new Set(stays.map(({ file }) => file)).size;
  return { stays, files, returns: stays.length - files };
}

/** Repeats these steps, since a timer may add its calls to one trip. */
export async function shortestTripOf(steps: () => unknown): Promise<Trip> {
  const trips: Trip[] = [];
  while (trips.length < 10) trips.push(await tripOf(steps));
  return shortestOf(trips);
}

export function shortestOf(trips: readonly Trip[]): Trip {
  return trips.reduce((shortest, trip) => {
    return trip.stays.length < shortest.stays.length ? trip : shortest;
  });
}

/** One line per stay, for the reader of a failure. */
export function describeTrip({ stays }: Trip): string {
  return stays.map(({ file, names }) => `${file}: ${names.join(' ')}`).join('\n');
}
