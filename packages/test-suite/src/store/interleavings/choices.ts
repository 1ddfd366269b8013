/** Decides which of several possible events happens next. */
export interface Choices {
  /** A whole number from 0 to `count - 1`. */
  pick(count: number): number;
}

/** Takes its choices from a list of numbers. After the end of the list, takes the first option. */
export class ListedChoices implements Choices {
  /** The choices made, each with its number of options. */
  readonly made: { picked: number; count: number }[] = [];

  constructor(private readonly list: readonly number[]) {}

  pick(count: number): number {
    const picked = (this.list[this.made.length] ?? 0) % count;
    this.made.push({ picked, count });
    return picked;
  }
}

/**
 * Runs a scenario once for each sequence of choices, depth first, until none is left or `maxRuns` is reached. The
 * scenario must depend only on its choices. Returns the number of runs.
 */
export async function everySequence(
  scenario: (choices: Choices) => Promise<void>,
  maxRuns: number,
): Promise<number> {
  let list: number[] | undefined = [];
  let runs = 0;
  while (list !== undefined && runs < maxRuns) {
    const choices = new ListedChoices(list);
    await scenario(choices);
    runs++;
    list = nextList(choices);
  }
  return runs;
}

function nextList({ made }: ListedChoices): number[] | undefined {
  const last = made.findLastIndex(({ picked, count }) => picked < count - 1);
  if (last === -1) return undefined;
  const list = made.slice(0, last + 1).map(({ picked }) => picked);
  list[last] = (list[last] as number) + 1;
  return list;
}
