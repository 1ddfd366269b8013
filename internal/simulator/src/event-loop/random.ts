// npm run simulate -- random [--count 100] [--seed 5]: the default limit under workloads chosen at random, with a
// new seed in each run. --keep also writes the results to out/random.jsonl, for the page of the grid.
import { parseArgs } from 'node:util';
import { randomFrom } from '../random.ts';
import { add, type Cell, cellOf, ratiosOf } from './cells.ts';
import { randomWorkload } from './named-workload.ts';

const { values: options } = parseArgs({
  options: {
    count: { type: 'string', default: '40' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 1e9)) },
    keep: { type: 'boolean', default: false },
  },
});

console.log(`seed ${options.seed}\n`);
console.log('answered  without a limit  of the reference   p99 ms  rejected');
const seed = Number(options.seed);
const random = randomFrom(seed);
const cells: Cell[] = [];
for (let index = 0; index < Number(options.count); index++) {
  const workload = randomWorkload(random);
  const cell = { ...cellOf(workload), seed };
  const { answered, withoutLimit, ratio, p99, rejected } = cell;
  cells.push(cell);
  if (options.keep) add('random', cell);
  const columns = [
    answered.toFixed(2).padStart(8),
    withoutLimit.toFixed(2).padStart(17),
    ratio.toFixed(2).padStart(18),
    p99.toFixed(0).padStart(9),
    `${(100 * rejected).toFixed(1)} %`.padStart(10),
  ];
  console.log(`${columns.join('')}   ${workload.name}`);
}
const { worst, median } = ratiosOf(cells);
console.log(`\nof the reference: median ${median.toFixed(3)}, worst ${worst.toFixed(3)}`);
