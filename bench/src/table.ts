import { styleText } from 'node:util';

/** A figure with a target. */
export interface Goal {
  what: string;
  target: number;
  /** Whether higher is better. Default: lower is. */
  atLeast?: boolean;
  measured: number;
  unit: string;
  /** The 95 % interval, or the range that the machine's own variation explains. */
  interval?: { low: number; high: number };
}

export interface Table {
  title: string;
  columns: readonly string[];
  rows: ReadonlyArray<readonly string[]>;
  goals: readonly Goal[];
  notes?: readonly string[];
}

/** Whether the goal is reached, and whether the interval leaves that open. */
export function verdict({ measured, target, interval, atLeast = false }: Goal): string {
  if (Number.isNaN(measured)) return 'not measured';
  const reached = atLeast ? measured >= target : measured <= target;
  const word = reached ? 'reached' : 'not reached';
  const open = interval !== undefined && interval.low <= target && interval.high > target;
  return open ? `${word}, within noise` : word;
}

const goalColumns = ['goal', 'target', 'measured', ''];

function goalRow(goal: Goal): string[] {
  const { interval } = goal;
  const spread = interval ? ` (${number(interval.low)}–${number(interval.high)})` : '';
  return [
    goal.what,
    `${goal.atLeast ? '≥' : '≤'} ${number(goal.target)} ${goal.unit}`,
    `${number(goal.measured)} ${goal.unit}${spread}`,
    verdict(goal),
  ];
}

/** Formats a number with three significant digits. */
export function number(value: number): string {
  if (Number.isNaN(value)) return '–';
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  return value.toFixed(digits).replace(/\B(?=(\d{3})+(?!\d))/g, digits === 0 ? ',' : '');
}

export function toText(table: Table): string {
  const blocks = [styleText('bold', table.title), align(table.columns, table.rows)];
  if (table.goals.length > 0) blocks.push(align(goalColumns, table.goals.map(goalRow)));
  return [...blocks, ...(table.notes ?? [])].join('\n\n');
}

export function toMarkdown(table: Table): string {
  const blocks = [`### ${table.title}`, pipes(table.columns, table.rows)];
  if (table.goals.length > 0) blocks.push(pipes(goalColumns, table.goals.map(goalRow)));
  return [...blocks, ...(table.notes ?? [])].join('\n\n');
}

function align(columns: readonly string[], rows: ReadonlyArray<readonly string[]>): string {
  const all = [columns, ...rows];
  const widths = columns.map((_, i) => Math.max(...all.map((row) => (row[i] ?? '').length)));
  const line = (row: readonly string[]) =>
    row
      .map((cell, i) => (i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0)))
      .join('  ');
  return [styleText('dim', line(columns)), ...rows.map(line)].join('\n');
}

function pipes(columns: readonly string[], rows: ReadonlyArray<readonly string[]>): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const rule = columns.map((_, i) => (i === 0 ? '---' : '---:'));
  return [line(columns), line(rule), ...rows.map(line)].join('\n');
}
