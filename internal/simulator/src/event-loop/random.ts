// npm run simulate:random [-- --count 100] [-- --seed 5]: the default limit under workloads chosen at random, with a
// new seed in each run. --keep also writes the results to out/random.jsonl, for the page of simulate:grid.
import { parseArgs } from 'node:util';
import { uniformFloat64 } from 'pure-rand/distribution/uniformFloat64';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import { add, cellOf } from './cells.ts';
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
const generator = xoroshiro128plus(Number(options.seed));
const random = () => uniformFloat64(generator);
const ratios: number[] = [];
for (let index = 0; index < Number(options.count); index++) {
  const workload = randomWorkload(random);
  const cell = cellOf(workload);
  const { answered, withoutLimit, ratio, p99, rejected } = cell;
  ratios.push(ratio);
  if (options.keep) add('random', { ...cell, seed: Number(options.seed) });
  const columns = [
    answered.toFixed(2).padStart(8),
    withoutLimit.toFixed(2).padStart(17),
    ratio.toFixed(2).padStart(18),
    p99.toFixed(0).padStart(9),
    `${(100 * rejected).toFixed(1)} %`.padStart(10),
  ];
  console.log(`${columns.join('')}   ${workload.name}`);
}
ratios.sort((one, other) => one - other);
const [worst = Number.NaN] = ratios;
const median = ratios[ratios.length >> 1] ?? Number.NaN;
console.log(`\nof the reference: median ${median.toFixed(3)}, worst ${worst.toFixed(3)}`);
