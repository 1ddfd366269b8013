import { markdownTable } from '../markdown.ts';
import { mean } from '../watch.ts';
import type { Score } from './score.ts';

const head = ['Without it', 'mean', 'loses most', 'with it', 'without it'];

/** A row of the table: what is lost without a mechanism. */
export function rowOf(mechanism: string, whole: Score, without: Score): string[] {
  const change = meanOf(without) - meanOf(whole);
  const before = { ...whole.mean, ...whole.situations };
  const after: Record<string, number> = { ...without.mean, ...without.situations };
  const losses = Object.entries(before).map(([name, value]) => {
    const left = after[name] ?? Number.NaN;
    return { name, value, left, loss: value - left };
  });
  const most = losses.reduce((one, other) => (other.loss > one.loss ? other : one));
  return [
    mechanism,
    `${change < 0 ? '−' : '+'}${Math.abs(change).toFixed(3)}`,
    most.name.replace(/ \(\d+\)$/, ''),
    most.value.toFixed(2),
    most.left.toFixed(2),
  ];
}

export function tableOf(rows: readonly (readonly string[])[]): string {
  return markdownTable(head, rows);
}

function meanOf(score: Score): number {
  return mean(Object.values(score.mean));
}
