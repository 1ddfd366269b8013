import { fact, percent } from './facts.js';
import { count } from './words.js';

/** @import { LimitView } from '../src/view.ts' */
/** @import { Fact } from './facts.js' */

/** The lowest buckets are one bar while they have less of the requests together. */
const MIN_SHARE = 0.01;

/** Which shares of the requests were admitted at which weight in flight. @param {LimitView} view @returns {Fact[]} */
export function inflightShares({ inflightHistogram = [], peak = Infinity }) {
  const total = sum(inflightHistogram);
  let merged = 1;
  while (sum(inflightHistogram.slice(0, merged + 1)) < MIN_SHARE * total) merged++;
  const bars = [sum(inflightHistogram.slice(0, merged)), ...inflightHistogram.slice(merged)];
  return bars.flatMap((number, i) => {
    if (number === 0) return [];
    const bucket = merged - 1 + i;
    const from = i === 0 ? 1 : 2 ** (bucket - 1) + 1;
    const to = Math.max(from, Math.min(2 ** bucket, peak));
    const name = from === to ? count(from) : `${count(from)} to ${count(to)}`;
    return [fact(name, percent(number / total), number / total)];
  });
}

/** @param {readonly number[]} numbers */
function sum(numbers) {
  return numbers.reduce((total, number) => total + number, 0);
}
