import { contenderNames, createContender } from './contenders.ts';
import type { Part } from './part.ts';
import { RingSemaphore } from './ring.ts';
import type { Measurement, Results } from './runner.ts';
import { cell, ratioCell, ratioGoals } from './side-by-side.ts';
import type { Table } from './table.ts';
import { loopSampler } from './timing.ts';

const limit = 10;

async function task(): Promise<void> {}

/** A function that is called often is compiled to the same machine code in every process; a single long loop is not. */
function trySampler(tryAndRelease: () => void) {
  const batch = () => {
    for (let i = 0; i < 1_000; i++) tryAndRelease();
  };
  return loopSampler((count) => {
    for (let i = 0; i < count; i += 1_000) batch();
  });
}

const tries: Record<string, Measurement> = {
  'hand-written (ring)': () => {
    const ring = new RingSemaphore(limit);
    return trySampler(() => {
      if (ring.tryAcquire()) ring.release();
    });
  },
  headgate: async () => {
    const { createLimiter } = await import('@headgate/core');
    const limiter = createLimiter({ limit });
    return trySampler(() => limiter.tryAcquire()?.release());
  },
  'async-sema': async () => {
    const { Sema } = await import('async-sema');
    const sema = new Sema(limit);
    return trySampler(() => {
      if (sema.tryAcquire() !== undefined) sema.release();
    });
  },
};

const measurements: Record<string, Measurement> = {};
for (const name of contenderNames) {
  measurements[`run, ${name}`] = async () => {
    const contender = await createContender(name, limit);
    return loopSampler(async (count) => {
      for (let i = 0; i < count; i++) await contender.run(task);
    });
  };
}
for (const [name, measurement] of Object.entries(tries)) measurements[`try, ${name}`] = measurement;

function report(results: Results): Table {
  const goal = ratioGoals(results, 'ns');
  return {
    title: '(a) Uncontended, a process each',
    columns: ['', 'run(), ns', '× bare await', '× p-limit', 'tryAcquire + release, ns'],
    rows: contenderNames.map((name) => [
      name,
      cell(results, `run, ${name}`, 'ns'),
      ratioCell(results, 'ns', `run, ${name}`, 'run, bare await'),
      ratioCell(results, 'ns', `run, ${name}`, 'run, p-limit'),
      name in tries ? cell(results, `try, ${name}`, 'ns') : '',
    ]),
    goals: [
      goal('run() / bare await', 'run, headgate', 'run, bare await', 1.15),
      goal('run() / p-limit', 'run, headgate', 'run, p-limit', 0.3),
      goal('run() / cockatiel', 'run, headgate', 'run, cockatiel', 1),
      goal('tryAcquire + release / async-sema', 'try, headgate', 'try, async-sema', 1),
    ],
  };
}

export const part: Part = { sampling: { generations: 5, samples: 9 }, measurements, report };
