import type { Part } from './part.ts';
import type { Measurement, Results, Sampler } from './runner.ts';
import { cell, plainGoal } from './side-by-side.ts';
import type { Table } from './table.ts';
import { liveHeap, milliseconds } from './timing.ts';

const limit = 10;
const million = 1_000_000;
// Fewer keys for libraries that never evict one.
const fewer = 100_000;

/** Uses `count` keys once each, and measures the time per key and the heap left afterwards. */
async function keysOnce(
  use: (key: string) => unknown,
  count: number,
  options: { awaited: boolean },
): Promise<Sampler> {
  const round = async (from: number, to: number) => {
    if (options.awaited) for (let i = from; i < to; i++) await use(`user-${i}`);
    else for (let i = from; i < to; i++) use(`user-${i}`);
  };
  await round(0, 10_000);
  return async () => {
    const before = await liveHeap();
    const start = milliseconds();
    await round(10_000, 10_000 + count);
    const us = ((milliseconds() - start) * 1_000) / count;
    return { keys: count, us, megabytes: ((await liveHeap()) - before) / 2 ** 20 };
  };
}

const sync = { awaited: false };
const awaited = { awaited: true };

async function task(): Promise<void> {}

/** The usual way for a library without keys: one instance for each key, created on first use. */
function mapOf(create: () => { run(task: () => Promise<void>): unknown }) {
  const byKey = new Map<string, ReturnType<typeof create>>();
  return (key: string) => {
    let entry = byKey.get(key);
    if (entry === undefined) {
      entry = create();
      byKey.set(key, entry);
    }
    return entry.run(task);
  };
}

const tries = 'headgate, tryAcquire + release';
const runs = 'headgate, run()';

async function keyed() {
  const { createLimiter } = await import('@headgate/core');
  return createLimiter({ limit, perKey: true });
}

const measurements: Record<string, Measurement> = {
  'hand-written (count and delete)': () => {
    const counts = new Map<string, number>();
    const use = (key: string) => {
      counts.set(key, (counts.get(key) ?? 0) + 1);
      const left = (counts.get(key) ?? 0) - 1;
      if (left === 0) counts.delete(key);
      else counts.set(key, left);
    };
    return keysOnce(use, million, sync);
  },
  [tries]: async () => {
    const limiter = await keyed();
    return keysOnce((key) => limiter.tryAcquire({ key })?.release(), million, sync);
  },
  [runs]: async () => {
    const limiter = await keyed();
    return keysOnce((key) => limiter.run(task, { key }), million, awaited);
  },
  'effect PartitionedSemaphore': async () => {
    const { Effect, PartitionedSemaphore } = await import('effect');
    const semaphore = PartitionedSemaphore.makeUnsafe<string>({ permits: limit });
    const work = Effect.promise(task);
    return keysOnce((key) => Effect.runPromise(semaphore.withPermit(key)(work)), fewer, awaited);
  },
  'Map of p-limit': async () => {
    const { default: pLimit } = await import('p-limit');
    return keysOnce(
      mapOf(() => ({ run: pLimit(limit) })),
      fewer,
      awaited,
    );
  },
  'Map of p-queue': async () => {
    const { default: PQueue } = await import('p-queue');
    const create = () => {
      const queue = new PQueue({ concurrency: limit });
      return { run: (work: () => Promise<void>) => queue.add(work) };
    };
    return keysOnce(mapOf(create), fewer, awaited);
  },
  'express-rate-limit, MemoryStore': async () => {
    const { MemoryStore } = await import('express-rate-limit');
    const store = new MemoryStore();
    store.init({ windowMs: 600_000 } as Parameters<typeof store.init>[0]);
    return keysOnce((key) => store.increment(key), fewer, awaited);
  },
};

function report(results: Results): Table {
  const speed = { target: 2, unit: 'µs' };
  const memory = { target: 1, unit: 'MB' };
  return {
    title: '(e) Keys used once each',
    columns: ['', 'keys', 'µs a key', 'MB left'],
    rows: Object.keys(measurements).map((name) => [
      name,
      cell(results, name, 'keys'),
      cell(results, name, 'us'),
      cell(results, name, 'megabytes'),
    ]),
    goals: [
      plainGoal(results, [tries, 'us'], { what: 'tryAcquire + release, a key', ...speed }),
      plainGoal(results, [runs, 'us'], { what: 'run(), a key', ...speed }),
      plainGoal(results, [tries, 'megabytes'], {
        what: 'tryAcquire + release, heap left',
        ...memory,
      }),
      plainGoal(results, [runs, 'megabytes'], { what: 'run(), heap left', ...memory }),
    ],
  };
}

export const part: Part = { sampling: { generations: 3, samples: 1 }, measurements, report };
