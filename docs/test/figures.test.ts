import { expect, it } from 'vitest';
import { drawMeasured } from '../figures/plot.ts';
import { withFigures } from '../figures/readme.ts';
import { rowsUnder } from '../figures/tables.ts';
import { read } from './pages.ts';

const performance = read('docs/performance.md');
const overload = read('docs/overload-measured.md');

// npm run docs:figures updates both.

it('the README has the figures of the latest benchmarks', () => {
  const readme = read('README.md');
  expect(withFigures(readme, { performance, overload })).toBe(readme);
});

it('the README marks the goals that were missed', () => {
  const readme = read('README.md');
  const block = /<!-- figures -->([\s\S]*)<!-- end of figures -->/.exec(readme)?.[1] ?? '';
  expect(block).toMatch(/\*\*missed/);
  const changed = performance.replaceAll('| not reached |', '| reached |');
  expect(withFigures(readme, { performance: changed, overload })).not.toBe(readme);
});

it('the README has the plot of the latest overload runs', () => {
  expect(read('README.md')).toContain('(docs/overload/measured.svg)');
  expect(drawMeasured(overload)).toBe(read('docs/overload/measured.svg'));
});

it('figures that the tables do not have are an error', () => {
  const renamed = performance.replace('## (a)', '## (z)');
  expect(() => withFigures(read('README.md'), { performance: renamed, overload })).toThrow('(a)');
});

it('the README names the libraries that are faster on a contended limit', () => {
  const relative = new Map(
    rowsUnder(performance, '(b)').map(([name, , ratio]) => [name, Number(ratio)]),
  );
  const own = relative.get('headgate') ?? Number.NaN;
  const faster = [
    'p-limit',
    'async-sema',
    'bottleneck',
    'cockatiel',
    'p-queue',
    'fastq',
    'effect',
  ].filter((name) => (relative.get(name) ?? Number.NaN) < own);
  expect(read('README.md')).toContain(`(${faster.join(' and ')} are faster)`);
});
