import { markdownTable } from './markdown.ts';
import { type Figure, type Report, type Scenario, shown } from './scenario.ts';

/** Writes a scenario's figures into a page, if the page has a marker for them. */
export function withFigures(page: string, { id, name }: Scenario, { figures }: Report): string {
  return withText(page, id, table(name, figures));
}

/** Writes a text into a page, if the page has a marker for it. */
export function withText(page: string, id: string, text: string): string {
  const begin = `<!-- figures: ${id} -->\n`;
  const from = page.indexOf(begin);
  const to = page.indexOf('<!-- end -->', from);
  if (from < 0 || to < 0) return page;
  return `${page.slice(0, from)}${begin}\n${text}\n\n${page.slice(to)}`;
}

/** A table with a row for each `what` and a column for each `column`, or one for all values: `measured`. */
function table(name: string, figures: readonly Figure[]): string {
  const columns = [...new Set(figures.map(({ column }) => column))].flatMap((column) =>
    columnsOf(figures, column),
  );
  const names = [...new Set(figures.map(({ what }) => what))];
  const rows = names.map((what) => [what, ...columns.map(({ cells }) => cells.get(what) ?? '–')]);
  const head = [name, ...columns.map(({ title }) => title)];
  return markdownTable(head, rows);
}

/** The value as it is shown. If its goal is missed: in bold, with the goal. */
function withGoal(figure: Figure): string {
  const value = shown(figure);
  const [least, most] = figure.goal ?? [-Infinity, Infinity];
  if (Number(value) < least) return `**${value}** (≥ ${least})`;
  return Number(value) > most ? `**${value}** (≤ ${most})` : value;
}

interface Column {
  readonly title: string;
  readonly cells: ReadonlyMap<string, string>;
}

/** Published values, if any, have a column before the measured ones. */
function columnsOf(figures: readonly Figure[], column: string | undefined): Column[] {
  const own = figures.filter((figure) => figure.column === column);
  const measured = new Map(own.map((figure) => [figure.what, withGoal(figure)]));
  const published = new Map<string, string>();
  for (const figure of own) {
    if (figure.published !== undefined) published.set(figure.what, figure.published);
  }
  const columns = [{ title: column ?? 'measured', cells: measured }];
  if (published.size === 0) return columns;
  const title = column === undefined ? 'published' : `${column}, published`;
  return [{ title, cells: published }, ...columns];
}
