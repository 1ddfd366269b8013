import { contenderNames, createContender, type TaskLimiter } from './contenders.ts';
import type { Part } from './part.ts';
import { figures, type Measurement, type Results, type Sampler } from './runner.ts';
import { cell, ratio, ratioCell, ratioGoals } from './side-by-side.ts';
import { median, pairedRatios } from './stats.ts';
import { type Goal, number, type Table } from './table.ts';
import { loopSampler, milliseconds } from './timing.ts';

const limit = 10;
const callers = 64;
const small = 5_000;
const large = 100_000;
const otherLimits = [1, 100, 1_000];

async function task(): Promise<void> {}

async function looping(name: string): Promise<Sampler> {
  const contender = await createContender(name, limit);
  const loop = async (times: number) => {
    for (let i = 0; i < times; i++) await contender.run(task);
  };
  return loopSampler(async (count) => {
    const times = Math.ceil(count / callers);
    await Promise.all(Array.from({ length: callers }, () => loop(times)));
  });
}

/** Nanoseconds per task when `size` tasks are started at once. */
async function crowd(contender: TaskLimiter, size: number): Promise<number> {
  const start = milliseconds();
  const tasks: Array<Promise<unknown>> = [];
  for (let i = 0; i < size; i++) tasks.push(contender.run(task));
  await Promise.all(tasks);
  return ((milliseconds() - start) * 1e6) / size;
}

/** Warmed up by many small crowds. A sample is the median of as many crowds as make up 100,000 tasks. */
async function crowds(name: string, size: number, semaphoreLimit = limit): Promise<Sampler> {
  const contender = await createContender(name, semaphoreLimit);
  for (let i = 0; i < 20; i++) await crowd(contender, 500);
  return async () => {
    const times: number[] = [];
    for (let done = 0; done < large; done += size) times.push(await crowd(contender, size));
    return { ns: median(times) };
  };
}

const ring = 'hand-written (ring)';

const loopsOf = (name: string) => `loops, ${name}`;
const crowdOf = (name: string, size: number, semaphoreLimit = limit) =>
  `${size} on ${semaphoreLimit}, ${name}`;

const measurements: Record<string, Measurement> = {};
for (const name of contenderNames) {
  measurements[loopsOf(name)] = () => looping(name);
  for (const size of [small, large]) measurements[crowdOf(name, size)] = () => crowds(name, size);
}
for (const semaphoreLimit of otherLimits) {
  measurements[crowdOf('headgate', large, semaphoreLimit)] = () =>
    crowds('headgate', large, semaphoreLimit);
}

/** How many times more a task costs in the large crowd than in the small one, round by round. */
const growth = (results: Results, name: string): number[] =>
  pairedRatios(
    figures(results, crowdOf(name, large), 'ns'),
    figures(results, crowdOf(name, small), 'ns'),
  );

function goals(results: Results): Goal[] {
  const goal = ratioGoals(results, 'ns');
  const ours = crowdOf('headgate', large);
  const others = otherLimits.map((semaphoreLimit) =>
    ratio(results, 'ns', crowdOf('headgate', large, semaphoreLimit), ours),
  );
  return [
    goal('64 looping callers / p-limit', loopsOf('headgate'), loopsOf('p-limit'), 0.6),
    goal(`64 looping callers / ${ring}`, loopsOf('headgate'), loopsOf(ring), 1.1),
    goal('100,000 at once / p-limit', ours, crowdOf('p-limit', large), 0.65),
    goal(`100,000 at once / ${ring}`, ours, crowdOf(ring, large), 1.1),
    {
      what: 'growth from 5,000 to 100,000 at once / bare await',
      target: 1,
      measured: median(pairedRatios(growth(results, 'headgate'), growth(results, 'bare await'))),
      unit: '×',
    },
    {
      what: 'most expensive of the limits 1, 100, 1,000 / limit 10',
      // The tolerance is the difference between two equal runs on this machine.
      target: 1.1,
      measured: Math.max(...others),
      unit: '×',
    },
  ];
}

function report(results: Results): Table {
  const row = (name: string) => [
    name,
    cell(results, loopsOf(name), 'ns'),
    ratioCell(results, 'ns', loopsOf(name), loopsOf('p-limit')),
    cell(results, crowdOf(name, small), 'ns'),
    cell(results, crowdOf(name, large), 'ns'),
    ratioCell(results, 'ns', crowdOf(name, large), crowdOf('p-limit', large)),
    number(median(growth(results, name))),
  ];
  const limitRow = (semaphoreLimit: number) => {
    const ns = cell(results, crowdOf('headgate', large, semaphoreLimit), 'ns');
    return [`headgate, limit ${semaphoreLimit.toLocaleString('en')}`, '', '', '', ns, '', ''];
  };
  return {
    title: '(b) On limit 10, nanoseconds a task',
    columns: ['', '64 looping', '× p-limit', '5,000 at once', '100,000', '× p-limit', 'growth'],
    rows: [...contenderNames.map(row), ...otherLimits.map(limitRow)],
    goals: goals(results),
  };
}

export const part: Part = { sampling: { generations: 2, samples: 5 }, measurements, report };
