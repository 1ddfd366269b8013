// npm run simulate:random [-- --count 100] [-- --seed 5]: the default limit under workloads chosen at random, with a
// new seed in each run.
import { parseArgs } from 'node:util';
import { uniformFloat64 } from 'pure-rand/distribution/uniformFloat64';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import { compare } from './compare.ts';
import { randomWorkload } from './named-workload.ts';

const { values: options } = parseArgs({
  options: {
    count: { type: 'string', default: '40' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 1e9)) },
  },
});

console.log(`seed ${options.seed}\n`);
console.log('answered  without a limit  of the reference   p99 ms  rejected');
const generator = xoroshiro128plus(Number(options.seed));
const random = () => uniformFloat64(generator);
const ratios: number[] = [];
for (let index = 0; index < Number(options.count); index++) {
  const workload = randomWorkload(random);
  const { answered, withoutLimit, ratio, p99, rejected } = compare(workload);
  if (Number.isFinite(ratio)) ratios.push(ratio);
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
