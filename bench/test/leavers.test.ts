import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { clock } from '../src/leavers/hanging/scaled-time.ts';
import { tableOf as hangingTableOf } from '../src/leavers/hanging/table.ts';
import { FAST, SLOW, Work } from '../src/leavers/hanging/work.ts';
import { tableOf as impatientTableOf } from '../src/leavers/impatient/table.ts';
import { kinds } from '../src/leavers/leaving/kinds.ts';
import { tableOf as leavingTableOf } from '../src/leavers/leaving/table.ts';

it('counts the handlers that wait for the dependency at once', async () => {
  const work = new Work();
  await Promise.all([work.for(SLOW), work.for(SLOW), work.for(FAST)]);
  await work.for(SLOW);
  expect(work.mostAtOnce).toBe(2);
});

it('does not count handlers whose timers are late', async () => {
  const work = new Work();
  const first = work.for(SLOW);
  const start = clock.now();
  while (clock.now() < start + work.duration);
  await Promise.all([first, work.for(SLOW)]);
  expect(work.mostAtOnce).toBe(1);
});

it('a hang has ended once no handler waits for the dependency', async () => {
  const work = new Work();
  let isDone = false;
  work.duration = 200;
  work.for(SLOW).then(() => {
    isDone = true;
  });
  await work.end();
  expect(isDone).toBe(true);
});

it('marks more than twice the limit of handlers, which miss the goal unless a logger is behind the limit', () => {
  const hangs = [3_000, 8_000].map((hang) => ({ hang, patience: 300, amidFast: false }));
  const table = hangingTableOf(hangs, [
    {
      app: 'Koa',
      figures: [
        { handlers: 4, back: 0.4 },
        { handlers: 7, back: 12.6 },
      ],
    },
    {
      app: 'Express, logger behind the limit',
      figures: [
        { handlers: 9, back: 3 },
        { handlers: 8, back: null },
      ],
    },
  ]);
  expect(table.columns).toEqual(['', '3 s / 0.3 s', '8 s / 0.3 s', 'permits back, ms']);
  expect(table.rows).toEqual([
    ['Koa', '4', '7', '13'],
    ['Express, logger behind the limit', '**9**', '8', 'never'],
  ]);
  expect(table.goals).toMatchObject([{ measured: 7, target: 8 }]);
});

it('compares the lowest part that was answered with the goals, marks what is below 98 %, and expects less of silent handlers', () => {
  const figures = (...answered: number[]) => answered.map((part) => ({ answered: part, held: 0 }));
  const table = leavingTableOf([
    { kind: 'Koa', figures: figures(1, 0.979, 0.99) },
    { kind: 'Express, silent', figures: figures(1, 1, 0.951) },
  ]);
  expect(table.rows).toEqual([
    ['Koa', '100.0', '**97.9**', '99.0', '0 / 0 / 0'],
    ['Express, silent', '100.0', '100.0', '**95.1**', '0 / 0 / 0'],
  ]);
  expect(table.goals).toMatchObject([
    { measured: expect.closeTo(97.9), target: 98, atLeast: true },
    { measured: expect.closeTo(95.1), target: 90, atLeast: true },
  ]);
});

it('expects fewer answers for clients that wait less than ten times as long as a handler takes', () => {
  const figures = (...cells: [answered: number, rejected: number][]) =>
    cells.map(([answered, rejected]) => ({ answered, rejected }));
  const table = impatientTableOf([
    { app: 'Koa', figures: figures([0.5, 0.6], [0.9, 0.95], [0.97, 0.99], [1, 1]) },
    { app: 'Hono', figures: figures([0.44, 0.5], [0.92, 0.9], [0.84, 0.84], [1, 1]) },
  ]);
  expect(table.rows).toEqual([
    ['Koa', '50 / 60', '90 / 95', '97 / 99', '100 / 100'],
    ['Hono', '44 / 50', '92 / 90', '84 / 84', '100 / 100'],
  ]);
  expect(table.goals).toMatchObject([
    { measured: 84, target: 85, atLeast: true },
    { measured: 44, target: 45, atLeast: true },
    { measured: 84, target: 85, atLeast: true },
  ]);
});

it('the page has a row for each kind of handler', () => {
  const file = resolve(import.meta.dirname, '../../docs/lab/clients-that-leave.md');
  const page = readFileSync(file, 'utf8');
  expect(Object.keys(kinds).filter((kind) => !page.includes(`\n| ${kind} |`))).toEqual([]);
});
