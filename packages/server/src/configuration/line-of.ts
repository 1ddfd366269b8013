import { parse } from 'smol-toml';

/**
 * The line of a value in a TOML file, or of the nearest table around it: the first line with which the file, if it ended
 * there, would have the value. The parser does not tell; this is looked for by halves, as who asks again has to wait.
 */
export function lineOf(text: string, path: readonly string[]): number | undefined {
  const lines = text.split('\n');
  for (let depth = path.length; depth > 0; depth--) {
    const sought = path.slice(0, depth);
    if (!has(parsed(lines, lines.length).value, sought)) continue;
    let [least, most] = [1, lines.length];
    while (least < most) {
      const middle = (least + most) >> 1;
      if (has(parsed(lines, middle).value, sought)) most = middle;
      else least = middle + 1;
    }
    return parsed(lines, least).count;
  }
  return undefined;
}

/** So many lines, or as few more as it takes not to end in the middle of a value. */
function parsed(lines: readonly string[], least: number): { value: unknown; count: number } {
  for (let count = least; ; count++) {
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
