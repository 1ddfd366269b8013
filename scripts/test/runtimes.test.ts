import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { isPinned } from '../programs/npm-package.mjs';
import { judge } from '../runtimes/judge.mjs';
import { differencesTable } from '../runtimes/page.mjs';
import { runtimes } from '../runtimes/runtimes.mjs';
import { suitesOf } from '../runtimes/suites.mjs';

const page = readFileSync(new URL('../../docs/runtimes.md', import.meta.url), 'utf8');

/** The text between the markers of a part. */
const partOf = (name: string) =>
  new RegExp(`<!-- ${name} -->\n(.*?)<!-- end of ${name} -->`, 's').exec(page)?.[1]?.trim();

/** The cells of a table without its head. */
const rowsOf = (name: string) =>
  (partOf(name) ?? '')
    .split('\n')
    .slice(2)
    .map((line) => line.slice(2, -2).split(' | '));

it('the npm package of each runtime is pinned', () => {
  expect(runtimes.filter(({ id }) => !isPinned(id))).toEqual([]);
});

it('the page has the result of each suite on each runtime, with the pinned versions', () => {
  const expected = runtimes.flatMap((runtime) => [
    ...suitesOf(runtime).map((suite) => [runtime.name, runtime.version, suite.package, suite.name]),
    [runtime.name, runtime.version, 'README', 'its server responds'],
  ]);
  expect(rowsOf('results').map((cells) => cells.slice(0, 4))).toEqual(expected);
});

it('on the page, at least one test of each suite has passed, and none has failed', () => {
  const counts = rowsOf('results').map((cells) => cells.slice(4).map(Number));
  expect(counts.filter(([passed = 0, failed]) => passed === 0 || failed !== 0)).toEqual([]);
});

it('the page has the known differences', () => {
  expect(partOf('differences')).toBe(differencesTable().trim());
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
