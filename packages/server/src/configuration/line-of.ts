import { parse } from 'smol-toml';

/**
 * The line of a value in a TOML file, or of the nearest table around it: the first line with which the file, if it ended
 * there, would have the value. The parser does not tell; this is for a message, and need not be fast.
 */
export function lineOf(text: string, path: readonly string[]): number | undefined {
  const lines = text.split('\n');
  for (let depth = path.length; depth > 0; depth--) {
    const at = lines.findIndex((_, i) =>
      has(lines.slice(0, i + 1).join('\n'), path.slice(0, depth)),
    );
    if (at >= 0) return at + 1;
  }
  return undefined;
}

function has(text: string, path: readonly string[]): boolean {
  try {
    let value: unknown = parse(text, { integersAsBigInt: true });
    for (const name of path) {
      if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return false;
      value = (value as Record<string, unknown>)[name];
    }
    return true;
  } catch {
    // It ends in the middle of a value.
    return false;
  }
}
