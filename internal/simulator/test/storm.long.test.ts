import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { contenders } from '../src/storm/contenders.ts';
import { realNetwork } from '../src/storm/network.ts';
import { storm } from '../src/storm/storm.ts';

const root = resolve(import.meta.dirname, '../../..');
const MINUTES = 60_000;

/** The cells of a row of the table, with numbers for figures. */
const cellsOf = (row: string) =>
  row.split('|').map((cell) => (/^ \d+ (%|s) $/.test(cell) ? Number.parseInt(cell, 10) : cell));

// Which requests meet the end of the outage depends on the order of promises, so figures differ by one or two.
it('the page has the rows that the simulation prints', { timeout: 5 * MINUTES }, async () => {
  const main = resolve(root, 'internal/simulator/src/storm/main.ts');
  const only = ['--only', '^got$|RetryAgent|axios|opossum|`limit: 4`$'];
  const args = ['--conditions=headgate-source', '--import=tsx', main, ...only];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: root });
  const page = readFileSync(resolve(root, 'docs/retry-storms.md'), 'utf8').split('\n').map(cellsOf);
  const rows = stdout.trim().split('\n').slice(2).map(cellsOf);
  expect(rows.length).toBe(5);
  for (const row of rows) {
    const shown = page.find(([, name]) => name === row[1]);
    for (const [index, cell] of row.entries()) {
      const other = shown?.[index];
      if (typeof cell === 'string') expect(other, `of ${row}`).toBe(cell);
      else expect(Math.abs(Number(other) - cell), `of ${row}`).toBeLessThanOrEqual(2 + cell / 20);
    }
  }
});

it('a limited client ends the storm on real sockets, and a plain one does not', {
  timeout: MINUTES,
}, async () => {
  const phases = { before: 1_000, outage: 5_000, after: 9_000 };
  const run = (name: string) => {
    const contender = contenders.find((each) => each.name === name);
    if (contender === undefined) throw new Error(`no client is called ${name}`);
    return storm(contender, 'hang', phases, realNetwork);
  };
  const [plain, limited] = await Promise.all([
    run('`fetch`'),
    run('`@headgate/fetch`, `limit: 4`'),
  ]);
  expect(plain.recovery).toBe(Number.POSITIVE_INFINITY);
  expect(limited.recovery).toBeLessThanOrEqual(5);
  expect(limited.requests).toBeLessThan(0.5);
});
