import { parse } from 'smol-toml';

/** Maximum number of times that a file is parsed. Within a long value, each line costs one more. */
const MAX_ATTEMPTS = 200;

/**
 * Finds the line of a value in a TOML file, or of the closest table around it. The parser does not report positions, so
 * this finds the smallest number of leading lines that define the value when they are parsed alone. The search is
 * binary, because a reload of a large file must not block the server. Returns undefined if it still takes too many
 * attempts.
 */
export function lineOf(text: string, path: readonly string[]): number | undefined {
  const file = new LeadingLines(text.split('\n'));
  try {
    for (let depth = path.length; depth > 0; depth--) {
      const sought = path.slice(0, depth);
      if (has(file.parse(file.length).value, sought)) return lineWithin(file, sought);
    }
  } catch (error) {
    if (error !== tooManyAttempts) throw error;
  }
  return undefined;
}

function lineWithin(file: LeadingLines, sought: readonly string[]): number {
  let [min, max] = [1, file.length];
  while (min < max) {
    const middle = (min + max) >> 1;
    if (has(file.parse(middle).value, sought)) max = middle;
    else min = middle + 1;
  }
  return file.parse(min).count;
}

const tooManyAttempts = new Error('the search for a line takes too long');

/** Parses the beginning of a file. */
class LeadingLines {
  #attempts = 0;

  constructor(private readonly lines: readonly string[]) {}

  get length(): number {
    return this.lines.length;
  }

  /** Parses the first `min` lines, and further ones until the text does not end within a value. */
  parse(min: number): { value: unknown; count: number } {
    for (let count = min; ; count++) {
      if (++this.#attempts > MAX_ATTEMPTS) throw tooManyAttempts;
      try {
        const value = parse(this.lines.slice(0, count).join('\n'), { integersAsBigInt: true });
        return { value, count };
      } catch (error) {
        if (count >= this.length) throw error;
      }
    }
  }
}

function has(root: unknown, path: readonly string[]): boolean {
  let value = root;
  for (const name of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return false;
    value = (value as Record<string, unknown>)[name];
  }
  return true;
}
