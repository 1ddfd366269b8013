// npm run docs -- figures: writes the figures of the README and the pages from the tables of the benchmarks.
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { withCapacity } from './capacity.ts';
import { withLoads } from './overload.ts';
import { withPerformance } from './performance.ts';
import { drawMeasured } from './plot.ts';
import { withFigures } from './readme.ts';

const root = resolve(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(join(root, file), 'utf8');

const performance = read('docs/lab/performance.md');
const overload = read('docs/lab/overload-measured.md');
const queue = read('docs/lab/queue.md');
const readme = withFigures(read('README.md'), { performance, overload, queue });
writeFileSync(join(root, 'README.md'), readme);
writeFileSync(join(root, 'docs/overload.md'), withLoads(read('docs/overload.md'), overload));
writeFileSync(join(root, 'docs/overload/measured.svg'), drawMeasured(overload));
writeFileSync(join(root, 'docs/capacity.md'), withCapacity(read('docs/capacity.md'), performance));
const figures = withPerformance(read('docs/performance.md'), { performance, overload });
writeFileSync(join(root, 'docs/performance.md'), figures);
