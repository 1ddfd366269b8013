import { expect, it } from 'vitest';
import { withCapacity } from '../figures/capacity.ts';
import { medians, withLoads } from '../figures/overload.ts';
import { withPerformance } from '../figures/performance.ts';
import { drawMeasured } from '../figures/plot.ts';
import { withFigures } from '../figures/readme.ts';
import { goalUnder, rowsUnder } from '../figures/tables.ts';
import { read } from './pages.ts';

const performance = read('docs/lab/performance.md');
const overload = read('docs/lab/overload-measured.md');
const queue = read('docs/lab/queue.md');

// npm run docs -- figures updates these.

it('the README has the figures of the latest benchmarks', () => {
  const readme = read('README.md');
  expect(withFigures(readme, { performance, overload, queue })).toBe(readme);
});

it('the README can be read in two minutes', () => {
  expect(read('README.md').trimEnd().split('\n').length).toBeLessThanOrEqual(120);
});

it('the README has the plot of the latest overload runs', () => {
  expect(read('README.md')).toContain('(docs/overload/measured.svg)');
  expect(drawMeasured(overload)).toBe(read('docs/overload/measured.svg'));
});

it('the plot has room for the labels of its axes, and says what they are', () => {
  const plot = drawMeasured(overload);
  const labels = [
    ...plot.matchAll(/<text x="([\d.]+)" y="([\d.]+)"[^>]*font-size="11"[^>]*>([^<]+)</g),
  ];
  expect(labels.length).toBeGreaterThan(12);
  for (const [i, [, x, , label = '']] of labels.entries()) {
    const [, next = Infinity] = labels[i + 1] ?? [];
    // A digit of this size is less than 6.5 wide. The labels of the next panel start again.
    const width = Number(next) - Number(x);
    expect(width, label).toBeGreaterThan(6.5 * label.length);
  }
  for (const title of ['answered in time ÷ capacity', 'load ÷ capacity'])
    expect(plot).toContain(title);
});

it('a figure that is missing from the tables is an error', () => {
  const renamed = performance.replace('## (f)', '## (z)');
  expect(() => withFigures(read('README.md'), { performance: renamed, overload, queue })).toThrow(
    '(f)',
  );
});

it('docs/redis.md has the range that Redis scripts take under contention', () => {
  const crowds = rowsUnder(performance, '50 callers per process').filter(
    ([, name]) => name === 'headgate',
  );
  const range = (column: number) => {
    const values = crowds.map((row) => Number(row[column]));
    return `${Math.round(Math.min(...values))} to ${Math.round(Math.max(...values))} µs`;
  };
  expect(crowds.length).toBeGreaterThan(3);
  const page = read('docs/redis.md').replace(/\s+/g, ' ');
  expect(page).toContain(`${range(7)} under contention`);
  expect(page).toContain(`${range(6)} per admitted request`);
});

it('docs/postgres.md has the rates that PostgreSQL reached', () => {
  const [own, handoff] = rowsUnder(performance, '4 processes of 50 callers').filter(([name = '']) =>
    name.startsWith('headgate'),
  );
  const times = goalUnder(
    performance,
    '4 processes of 50 callers',
    'headgate, handoff: 10: acquires/s relative to no handoff',
  );
  const page = read('docs/postgres.md').replace(/\s+/g, ' ');
  expect(handoff).toBeDefined();
  expect(page).toContain(`reached ${own?.[1]} acquires per second`);
  expect(page).toContain(`${Number.parseFloat(times.measured).toFixed(1)} times that`);
});

it('docs/performance.md has the figures of the latest benchmarks', () => {
  const page = read('docs/performance.md');
  expect(withPerformance(page, { performance, overload })).toBe(page);
  expect(page).toMatch(/^\d+ of the [1-9]\d* goals /m);
});

it('docs/capacity.md has what one Redis, one PostgreSQL and a cluster reached', () => {
  const page = read('docs/capacity.md');
  expect(withCapacity(page, performance)).toBe(page);
  const parts = ['over 1 to 64 processes', '1 to 10,000 limits', 'for each of several Redis'];
  const goals = performance
    .split(/^#+ /m)
    .filter((section) => parts.some((part) => section.split('\n')[0]?.includes(part)))
    .flatMap((section) => section.match(/\| (not )?reached(, within noise)? \|$/gm) ?? []);
  const missed = goals.filter((goal) => goal.includes('not reached'));
  expect(page.replace(/\s+/g, ' ')).toContain(
    `${missed.length} of the ${goals.length} goals are missed`,
  );
  expect(page).toMatch(/<!-- servers -->[^<]*\| cluster of 3 \| [\d.]+ \| [\d.]+ \|/);
});

it('docs/overload.md has what the servers do at five times the capacity', () => {
  const page = read('docs/overload.md');
  expect(withLoads(page, overload)).toBe(page);
});

it.each([
  ['Handlers that wait for a database', ['README.md', 'docs/overload.md']],
  ['Handlers that compute', ['README.md', 'docs/overload.md']],
  ["Handlers that wait for libuv's threads", ['docs/overload.md']],
])('the pages have the median of an answered request: %s', (heading, pages) => {
  const [overloaded, unloaded] = medians(overload, heading);
  const both = new RegExp(`${overloaded}( ms)?( instead of| where it is| and) ${unloaded} ms`);
  for (const page of pages) expect(read(page).replace(/\s+/g, ' ')).toMatch(both);
});
