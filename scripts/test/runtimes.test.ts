import { expect, it } from 'vitest';
import { read } from '../../docs/test/pages.ts';
import { isPinned } from '../programs/npm-package.mjs';
import { judge } from '../runtimes/judge.mjs';
import { differencesList } from '../runtimes/page.mjs';
import { runtimes } from '../runtimes/runtimes.mjs';
import { suitesOf } from '../runtimes/suites.mjs';

const page = read('docs/lab/runtimes.md');

/** The text between the markers of a part. */
const partOf = (name: string) =>
  new RegExp(`<!-- ${name} -->\n(.*?)<!-- end of ${name} -->`, 's').exec(page)?.[1]?.trim();

/** The cells of each line of the results; the first line is the head. */
const [head = [], , ...lines] = (partOf('results') ?? '')
  .split('\n')
  .map((line) => line.slice(2, -2).split(' | '));

it('the npm package of each runtime is pinned', () => {
  expect(runtimes.filter(({ id }) => !isPinned(id))).toEqual([]);
});

it('the page has a result of each suite on each runtime, with the pinned versions', () => {
  expect(head.slice(1)).toEqual(runtimes.map(({ name, version }) => `${name} ${version}`));
  for (const [index, runtime] of runtimes.entries()) {
    const present = lines.filter((cells) => cells[index + 1] !== '–').map(([title]) => title);
    const run = suitesOf(runtime).map((suite) => `${suite.package}, ${suite.name}`);
    expect(present.sort()).toEqual([...run, 'README, its server responds'].sort());
  }
});

it('on the page, at least one test of each suite has passed, and none has failed', () => {
  const results = lines.flatMap((cells) => cells.slice(1)).filter((cell) => cell !== '–');
  expect(results.length).toBeGreaterThan(0);
  expect(results.filter((cell) => !/^[1-9]/.test(cell) || cell.includes('failed'))).toEqual([]);
});

it('the page has the known differences', () => {
  expect(partOf('differences')).toBe(differencesList().trim());
});

const deno = runtimes.find(({ name }) => name === 'Deno') as (typeof runtimes)[number];
const suite = { package: '@headgate/koa', name: 'adapter suite' };
const failure = (title: string) => ({ file: 'a.test.ts', title, state: 'failed', message: 'no' });

it('a failed test that no difference explains counts as failed', () => {
  const rows = judge(deno, [{ suite, results: [failure('Koa 3 > new')] }]);
  expect(rows[0]?.problems).toContain('deno a.test.ts > Koa 3 > new: no');
});

it('a suite of which no test has run counts as failed', () => {
  const rows = judge(deno, [{ suite, results: [] }]);
  expect(rows[0]?.problems).toContain('deno @headgate/koa: no test has run');
});

it('a difference whose tests pass counts as failed', () => {
  const title = 'Koa 3 > rejected uploads > kept or closed after an upload in one chunk';
  const problemsOf = (results: object[]) => judge(deno, [{ suite, results }])[0]?.problems ?? [];
  const isGone = (problem: string) => problem.includes('short chunked upload');
  expect(problemsOf([failure(title)]).filter(isGone)).toEqual([]);
  expect(problemsOf([{ ...failure(title), state: 'passed' }]).filter(isGone)).toHaveLength(1);
});
