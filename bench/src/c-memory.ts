import { contenderNames, createContender } from './contenders.ts';
import type { Part } from './part.ts';
import type { Measurement, Results } from './runner.ts';
import { cell, plainGoal } from './side-by-side.ts';
import type { Table } from './table.ts';
import { liveHeap } from './timing.ts';

const waiters = 100_000;

const queue = { queueLimit: Number.POSITIVE_INFINITY, queueTimeout: 600_000 };

/** A limiter whose only permit is held, so that all further callers wait, with a deadline. */
async function full() {
  const { createLimiter } = await import('@headgate/core');
  const limiter = createLimiter({ limit: 1, ...queue });
  limiter.tryAcquire();
  return limiter;
}

/** Measures the heap per waiter. Enqueues a few first, so that code and hidden classes do not count. */
function perWaiter(enqueue: () => void) {
  for (let i = 0; i < 1_000; i++) enqueue();
  return async () => {
    const before = await liveHeap();
    for (let i = 0; i < waiters; i++) enqueue();
    return { bytes: ((await liveHeap()) - before) / waiters };
  };
}

/** A waiter of the application, which needs no promise. */
async function bareWaiter() {
  const { Waiter } = await import('@headgate/core');
  return class extends Waiter {
    granted(): void {}
    rejected(): void {}
  };
}

const direct = 'headgate, request(waiter)';
const promised = 'headgate, acquire()';
const gated = 'headgate, request(waiter) at a gate of two limits';

const measurements: Record<string, Measurement> = {
  [direct]: async () => {
    const limiter = await full();
    const Bare = await bareWaiter();
    return perWaiter(() => limiter.request(new Bare()));
  },
  [promised]: async () => {
    const limiter = await full();
    return perWaiter(() => void limiter.acquire());
  },
  [gated]: async () => {
    const { createGate, createLimiter } = await import('@headgate/core');
    const roomy = createLimiter({ name: 'roomy', limit: 2 * waiters });
    const limiters = [roomy, await full()];
    const gate = createGate({ limits: limiters.map((limiter) => ({ limiter })), ...queue });
    const demands = limiters.map((limiter) => ({ limiter, weight: 1 }));
    const Bare = await bareWaiter();
    return perWaiter(() => gate.request(new Bare(), demands));
  },
};
for (const name of contenderNames.filter((name) => name !== 'bare await')) {
  measurements[`${name}, run()`] = async () => {
    const contender = name === 'headgate' ? await full() : await createContender(name, 1);
    void contender.run(() => new Promise<void>(() => {}));
    return perWaiter(() => void contender.run(async () => {}));
  };
}

function report(results: Results): Table {
  const goal = (name: string, what: string, target: number) =>
    plainGoal(results, [name, 'bytes'], { what, target, unit: 'bytes' });
  return {
    title: '(c) Heap per waiter, with 100,000 waiters',
    columns: ['', 'bytes'],
    rows: Object.keys(measurements).map((name) => [name, cell(results, name, 'bytes')]),
    goals: [
      goal(direct, 'a waiter without a promise, with a deadline', 170),
      goal(promised, 'a waiter with a promise, with a deadline', 400),
      goal('headgate, run()', 'a queued run()', 450),
      goal(gated, 'a waiter that holds the first of two limits, with a deadline', 200),
    ],
  };
}

// The waiters' memory is never released, so each process can measure only once.
export const part: Part = { sampling: { generations: 3, samples: 1 }, measurements, report };
