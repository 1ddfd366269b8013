import { parse } from 'smol-toml';

/**
 * Finds the line of a value in a TOML file, or of the closest table around it: the smallest number of leading lines
 * that already define the value when parsed alone. The parser does not report positions. The search is binary, because
 * a reload of a large file must not block the server.
 */
export function lineOf(text: string, path: readonly string[]): number | undefined {
  const lines = text.split('\n');
  for (let depth = path.length; depth > 0; depth--) {
    const sought = path.slice(0, depth);
    if (!has(parsed(lines, lines.length).value, sought)) continue;
    let [min, max] = [1, lines.length];
    while (min < max) {
      const middle = (min + max) >> 1;
      if (has(parsed(lines, middle).value, sought)) max = middle;
      else min = middle + 1;
    }
    return parsed(lines, min).count;
  }
  return undefined;
}

/** Parses the first `min` lines, plus as many more as it takes not to end within a value. */
function parsed(lines: readonly string[], min: number): { value: unknown; count: number } {
  for (let count = min; ; count++) {
    try {
      const value = parse(lines.slice(0, count).join('\n'), { integersAsBigInt: true });
      return { value, count };
    } catch (error) {
      if (count >= lines.length) throw error;
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
