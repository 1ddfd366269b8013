/** Names that users of other libraries, or of `createLimiter`, may try, with the option that each one means. */
const otherNames: Readonly<Record<string, string>> = {
  concurrency: 'limit',
  max: 'limit',
  maxConcurrency: 'limit',
  maxConcurrent: 'limit',
  activeLimit: 'limit',
  queue: 'queueLimit',
  queuedLimit: 'queueLimit',
  maxQueue: 'queueLimit',
  queueSize: 'queueLimit',
  timeout: 'queueTimeout',
  perKey: 'key',
  key: 'perKey',
  keyGenerator: 'key',
  redis: 'store',
};

/** The option to suggest for an unknown name: the option that this name means elsewhere, or the most similar name. */
export function suggestionFor(name: string, known: readonly string[]): string | undefined {
  const meant = Object.hasOwn(otherNames, name) ? otherNames[name] : undefined;
  return meant !== undefined && known.includes(meant) ? meant : nearest(name, known);
}

/** The known name with the smallest edit distance. Undefined if that is too large for the length of `name`. */
export function nearest(name: string, known: readonly string[]): string | undefined {
  let best: string | undefined;
  let least = Math.max(2, Math.ceil(name.length / 4)) + 1;
  for (const candidate of known) {
    const edits = editsBetween(name.toLowerCase(), candidate.toLowerCase());
    if (edits >= least || edits >= candidate.length) continue;
    least = edits;
    best = candidate;
  }
  return best;
}

/** Levenshtein distance, computed row by row. */
function editsBetween(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, column) => column);
  for (const [index, letter] of [...one].entries()) {
    const next = [index + 1];
    for (const [column, wanted] of [...other].entries()) {
      const change = (row[column] as number) + (letter === wanted ? 0 : 1);
      next.push(Math.min(change, (row[column + 1] as number) + 1, (next[column] as number) + 1));
    }
    row = next;
  }
  return row[other.length] as number;
}
