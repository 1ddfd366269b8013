import { fact, percent } from './facts.js';
import { count } from './words.js';

/** @import { LimitView } from '../src/view.ts' */
/** @import { Fact } from './facts.js' */

const MAX_BARS = 8;

/** Which shares of the requests were admitted at which weight in flight. @param {LimitView} view @returns {Fact[]} */
export function inflightShares({ inflightHistogram = [], peak = Infinity }) {
  const total = sum(inflightHistogram);
  // The first bar has the buckets below those of the others.
  const merged = Math.max(1, inflightHistogram.length - MAX_BARS + 1);
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
