import { type Group, loadRounds, type Round } from './rounds.ts';

/** The rounds of each process of a case, or the error if one failed. */
export type Sets = Map<string, Round[][] | Error>;

/** Processes of each case. */
export const processes = 5;

/**
 * Measures a group in several sets of processes: what the compiler and the memory allocator happen to do for one process
 * stays the same in all of its rounds, so that their interval would not contain it.
 *
 * @param rounds Rounds of each process.
 */
export async function loadSets(group: Group, rounds: number, runtime?: string): Promise<Sets> {
  const sets: Sets = new Map(group.cases.map((name) => [name, []]));
  for (let set = 1; set <= processes; set++) {
    for (const [name, result] of await loadRounds(group, rounds, runtime)) {
      const earlier = sets.get(name);
      if (result instanceof Error) sets.set(name, result);
      else if (Array.isArray(earlier)) earlier.push(result);
    }
  }
  return sets;
}
