import type { Pages } from './readme.ts';
import { cellsOf, type Row, withTable } from './tables.ts';

/** docs/performance.md with the figures that matter to a user, from the tables of docs/lab. */
export function withPerformance(
  page: string,
  { performance, overload }: Omit<Pages, 'queue'>,
): string {
  const rule = ['---', '---:', '---:'];
  const process = [['', 'Headgate', 'for comparison'], rule, ...inProcess(performance, overload)];
  const stores = [['', 'Headgate', 'for comparison'], rule, ...ofStores(performance)];
  const changed = withTable(withTable(page, 'process', process), 'stores', stores);
  return changed.replace(/\d+ of the \d+ goals [^:]*/, goalsOf(performance));
}

function inProcess(performance: string, overload: string): Row[] {
  const cell = cellsOf(performance);
  const rejection = (name: string) => cellsOf(overload)('The cost of one rejection', [name], 2);
  const run = (name: string) => `${cell('(a)', [name], 1)} ns`;
  const waiter = (name: string) => `${cell('(c)', [name], 1)} bytes`;
  const express = (name: string, column: number) => cell('(f)', [`express free, ${name}`], column);
  return [
    [
      'a call of `run()` that need not wait',
      run('headgate'),
      `bare \`await\` ${run('bare await')}, p-limit ${run('p-limit')}`,
    ],
    [
      'CPU of an admitted Express request, relative to Express without a limit',
      express('headgate', 2),
      `hand-written counter ${express('hand-written', 2)}, express-rate-limit ${express('express-rate-limit', 2)}`,
    ],
    [
      'CPU of a rejection, relative to a bare 503 of Express',
      `in front of Express ${rejection('headgate in front, by its limit')}, in \`app.use()\` ${rejection('headgate, by its limit')}`,
      `express-queue ${rejection('express-queue')}`,
    ],
    [
      'memory of a queued `run()`',
      waiter('headgate, run()'),
      `p-limit ${waiter('p-limit, run()')}`,
    ],
    [
      'heap that keys used once leave behind: a million, and 100,000 of p-limit',
      `${cell('(e)', ['headgate, run()'], 3)} MB`,
      `a Map of p-limit ${cell('(e)', ['Map of p-limit'], 3)} MB`,
    ],
  ];
}

function ofStores(performance: string): Row[] {
  const rate = cellsOf(performance);
  const many = (name: string, column: number) =>
    rate('50 callers per process', ['4 × 50, 0 ms', name], column);
  const postgres = (name: string) => rate('4 processes of 50 callers', [name], 1);
  return [
    [
      'Redis: acquires and releases per second, one caller',
      rate('One caller of one process', ['headgate'], 1),
      `the same two commands alone ${rate('One caller of one process', ['raw'], 1)}`,
    ],
    [
      'Redis: acquires per second of 200 callers in 4 processes, limit 10',
      `${many('headgate', 2)}; with \`handoff: 10\` ${many('headgate, handoff: 10', 2)}`,
      `redis-semaphore ${many('redis-semaphore', 2)}, bottleneck ${many('bottleneck', 2)}`,
    ],
    [
      'Redis: longest wait of these callers, ms',
      many('headgate', 10),
      `redis-semaphore ${many('redis-semaphore', 10)}, bottleneck ${many('bottleneck', 10)}`,
    ],
    [
      'PostgreSQL: acquires and releases per second, one caller',
      rate('Uncontended callers, each', ['1', 'headgate'], 2),
      `two \`UPDATE\`s ${rate('Uncontended callers, each', ['1', 'two UPDATEs'], 2)}`,
    ],
    [
      'PostgreSQL: acquires per second of 200 callers in 4 processes, limit 10',
      `${postgres('headgate')}; with \`handoff: 10\` ${postgres('headgate, handoff: 10')}`,
      '',
    ],
    [
      'the semaphore service: requests per second, 32 connections',
      rate('Alternating acquires and releases', ['acquire and release'], 1),
      `a bare route ${rate('Alternating acquires and releases', ['a bare Hono route, which alternately reads a body'], 1)}`,
    ],
  ];
}

/** How many goals the benchmarks of Headgate's own parts have, and how many of them are missed. */
function goalsOf(performance: string): string {
  const chapters = performance.split(/^## (?=\([a-i]\))/m).slice(1);
  const own = chapters.map((chapter) => chapter.split(/^## /m)[0]).join('\n');
  const verdicts = [...own.matchAll(/\| (reached|not reached)(, within noise)? \|$/gm)];
  const missed = verdicts.filter(([, verdict]) => verdict === 'not reached');
  const certain = missed.filter(([, , noise]) => noise === undefined);
  return `${missed.length} of the ${verdicts.length} goals of all benchmarks are missed, ${certain.length} by more than the noise`;
}
