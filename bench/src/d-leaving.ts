import type { LocalLimiter, Permit, Waiter } from '@headgate/core';
import type { Part } from './part.ts';
import type { Measurement, Results } from './runner.ts';
import { cell, plainGoal, ratioGoals } from './side-by-side.ts';
import type { Table } from './table.ts';
import { milliseconds } from './timing.ts';

const waiters = 100_000;

/** A crowd of waiters of which every second one leaves and the rest is served. */
interface Crowd {
  join(index: number): void;
  leave(index: number): void;
  drain(): void | Promise<void>;
}

async function phases(crowd: Crowd, size: number) {
  const start = milliseconds();
  for (let i = 0; i < size; i++) crowd.join(i);
  const joined = milliseconds();
  for (let i = 0; i < size; i += 2) crowd.leave(i);
  const left = milliseconds();
  await crowd.drain();
  return { join: joined - start, leave: left - joined, drain: milliseconds() - left };
}

/** Warmed up by small crowds. A sample is one crowd of the full size. */
async function crowds(create: (size: number) => Crowd, size = waiters) {
  for (let i = 0; i < 20; i++) await phases(create(1_000), 1_000);
  return () => {
    globalThis.gc?.();
    return phases(create(size), size);
  };
}

const noop = () => {};
// One reason for all, because the error that `abort()` creates by default costs more than a listener.
const reason = new Error('left');

/** Promises with abort signals, which are created before the first waiter joins. */
function promised(size: number, wait: (signal: AbortSignal) => Promise<unknown>): Crowd {
  const controllers = Array.from({ length: size }, () => new AbortController());
  const all: Array<Promise<unknown>> = [];
  return {
    join: (i) => void all.push(wait((controllers[i] as AbortController).signal).catch(noop)),
    leave: (i) => controllers[i]?.abort(reason),
    drain: async () => void (await Promise.all(all)),
  };
}

/** The lower bound: a promise that an abort listener rejects, and nothing else. */
function listeners(size: number): Crowd {
  const served: Array<() => void> = [];
  const crowd = promised(
    size,
    (signal) =>
      new Promise<void>((resolve, reject) => {
        const leave = () => reject(signal.reason);
        signal.addEventListener('abort', leave, { once: true });
        served.push(() => {
          signal.removeEventListener('abort', leave);
          resolve();
        });
      }),
  );
  const drain = () => {
    for (let i = 1; i < size; i += 2) served[i]?.();
    return crowd.drain();
  };
  return { ...crowd, drain };
}

/** A limiter whose only permit is held until `open`. */
async function fullLimiters() {
  const { createLimiter } = await import('@headgate/core');
  const options = { limit: 1, queueLimit: Number.POSITIVE_INFINITY, queueTimeout: 600_000 };
  return () => {
    const limiter = createLimiter(options);
    const held = limiter.tryAcquire();
    return { limiter, open: () => held?.release() };
  };
}

function signalled(limiter: LocalLimiter, open: () => void, size: number): Crowd {
  const release = (permit: Permit) => permit.release();
  const crowd = promised(size, (signal) => limiter.acquire({ signal }).then(release));
  const drain = () => {
    open();
    return crowd.drain();
  };
  return { ...crowd, drain };
}

function direct(limiter: LocalLimiter, open: () => void, create: () => Waiter): Crowd {
  const queue: Waiter[] = [];
  return {
    join: (i) => {
      const waiter = create();
      queue[i] = waiter;
      limiter.request(waiter);
    },
    leave: (i) => limiter.withdraw(queue[i] as Waiter),
    drain: open,
  };
}

const withdraw = 'headgate, withdraw(waiter)';
const bare = 'bare abort listener';
const acquire = 'headgate, acquire({ signal })';
// Fewer, because the whole crowd would take half a minute.
const pQueue = 'p-queue, add(task, { signal }), of 10,000';

const measurements: Record<string, Measurement> = {
  [withdraw]: async () => {
    const { Waiter } = await import('@headgate/core');
    class Plain extends Waiter {
      granted(permit: Permit): void {
        permit.release();
      }
      rejected(): void {}
    }
    const create = await fullLimiters();
    return crowds(() => {
      const { limiter, open } = create();
      return direct(limiter, open, () => new Plain());
    });
  },
  [bare]: () => crowds(listeners),
  [acquire]: async () => {
    const create = await fullLimiters();
    return crowds((size) => {
      const { limiter, open } = create();
      return signalled(limiter, open, size);
    });
  },
  [pQueue]: async () => {
    const { default: PQueue } = await import('p-queue');
    return crowds((size) => {
      const queue = new PQueue({ concurrency: 1 });
      let open = noop;
      void queue.add(() => new Promise<void>((resolve) => (open = resolve)));
      const crowd = promised(size, (signal) => queue.add(async () => {}, { signal }));
      const drain = () => {
        open();
        return crowd.drain();
      };
      return { ...crowd, drain };
    }, 10_000);
  },
};

function report(results: Results): Table {
  const goal = ratioGoals(results, 'leave');
  const what = '50,000 of 100,000 leave, without signals';
  return {
    title: '(d) 100,000 waiters, of which every second one leaves: milliseconds',
    columns: ['', 'join', 'leave', 'served'],
    rows: Object.keys(measurements).map((name) => [
      name,
      cell(results, name, 'join'),
      cell(results, name, 'leave'),
      cell(results, name, 'drain'),
    ]),
    goals: [
      plainGoal(results, [withdraw, 'leave'], { what, target: 10, unit: 'ms' }),
      goal('leaving, with signals / bare abort listener', acquire, bare, 1.2),
    ],
  };
}

export const part: Part = { sampling: { generations: 3, samples: 5 }, measurements, report };
