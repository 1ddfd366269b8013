export type Row = readonly string[];

/** The rows of all tables under one heading of a page, up to the next heading. */
export function rowsUnder(page: string, heading: string): string[][] {
  const lines = page.split('\n');
  const start = lines.findIndex((line) => /^#+ /.test(line) && line.includes(heading));
  if (start < 0) throw new Error(`the page has no heading "${heading}"`);
  const length = lines.slice(start + 1).findIndex((line) => /^#+ /.test(line));
  const section = lines.slice(start + 1, length < 0 ? undefined : start + 1 + length);
  return section
    .filter((line) => line.startsWith('|') && !line.startsWith('| ---'))
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
}

/** Reads a cell of the row that begins with these names, under a heading. */
export function cellsOf(page: string) {
  return (heading: string, names: Row, column: number): string => {
    const row = rowsUnder(page, heading).find((cells) =>
      names.every((name, i) => cells[i] === name),
    );
    const cell = row?.[column];
    if (cell === undefined || cell === '')
      throw new Error(`"${heading}" lacks ${names.join(', ')}`);
    return cell;
  };
}

/** A goal as the benchmarks print it, for example `0.25 ×`, `≤ 0.30 ×` and `reached`. */
export interface Goal {
  readonly target: string;
  readonly measured: string;
  readonly verdict: string;
}

export function goalUnder(page: string, heading: string, name: string): Goal {
  const row = rowsUnder(page, heading).find(([first]) => first === name);
  const [, target, measured, verdict] = row ?? [];
  if (target === undefined || measured === undefined || verdict === undefined) {
    throw new Error(`"${heading}" has no goal "${name}"`);
  }
  return { target, measured, verdict };
}

/** Writes a table between the marks `<!-- name -->` and `<!-- end of name -->` of a page. */
export function withTable(page: string, name: string, table: readonly Row[]): string {
  const begin = `<!-- ${name} -->\n`;
  const from = page.indexOf(begin);
  const to = page.indexOf(`<!-- end of ${name} -->`);
  if (from < 0 || to < from) throw new Error(`the page has no marks for the ${name}`);
  const lines = table.map((cells) => `| ${cells.join(' | ')} |\n`).join('');
  return `${page.slice(0, from)}${begin}\n${lines}\n${page.slice(to)}`;
}
