import { markdownTable } from '../markdown.ts';
import { type Goal, shownTarget, shownValue } from './goal.ts';
import type { Result, Row } from './row.ts';

const head = ['', 'goal', 'measured', 'in the worst setting'];

/** The section of a row, with its figures. */
export function sectionOf({ name, description }: Row, { goals, table }: Result): string {
  const blocks = [`## ${name}`, description];
  if (goals.length > 0) blocks.push(markdownTable(head, goals.map(cellsOf)));
  if (table !== undefined) blocks.push(markdownTable(table.head, table.rows));
  return blocks.join('\n\n');
}

function cellsOf(goal: Goal): string[] {
  return [goal.what, shownTarget(goal), shownValue(goal), goal.worst.setting];
}
