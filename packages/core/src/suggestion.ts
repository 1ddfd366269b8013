/** What other libraries call an option of ours. */
const elsewhere: Readonly<Record<string, string>> = {
  concurrency: 'limit',
  max: 'limit',
  timeout: 'queueTimeout',
  perKey: 'key',
  keyGenerator: 'key',
};

/** The known option that was probably meant: one that other libraries call so, or the nearest. */
export function meantBy(name: string, known: readonly string[]): string | undefined {
  const ours = Object.hasOwn(elsewhere, name) ? elsewhere[name] : undefined;
  return ours !== undefined && known.includes(ours) ? ours : nearest(name, known);
}

/** The known name with the smallest edit distance, if that is small for the length of `name`. */
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
