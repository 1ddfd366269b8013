import { createHash, pbkdf2, pbkdf2Sync } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { uniformFloat64 } from 'pure-rand/distribution/uniformFloat64';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import { queries } from './query.ts';

/** The resource that a handler uses. */
export type Resource =
  | 'cpu'
  | 'varying'
  | 'timer'
  | 'query'
  | 'queries'
  | 'threads'
  | 'database'
  | 'pool'
  | 'pool-cpu';

/** What is measured at each multiple of the capacity, and in the first seconds of a spike, unless words say otherwise. */
export const spikeResources: readonly Resource[] = ['pool', 'pool-cpu'];

export const resources: readonly Resource[] = [
  'cpu',
  'varying',
  'timer',
  'query',
  'queries',
  'threads',
  'database',
];

/** Whether the main thread is the bottleneck. */
export function needsMainThread(resource: Resource): boolean {
  return !['threads', 'database', 'pool'].includes(resource);
}

/** The work that takes the intended time: calibrated once, then the same for all servers of a run. */
export interface Work {
  /** Hashes that take a millisecond of the main thread. */
  hashes: number;
  /** PBKDF2 iterations per `threads` request. */
  iterations: number;
}

/** Main-thread time of a `cpu`, a `timer`, a `query` and a `queries` request in milliseconds. */
const cpuTime = 10;
/** Mean main-thread time of a `varying` request in milliseconds, and the sigma of its lognormal distribution. */
const varyingTime = 25;
const varyingSigma = 0.3;
/** Time that a `timer` request waits before it computes, in milliseconds. */
const timerTime = 20;
/** Time that a `query` request waits for another process before it computes, and a `queries` request also afterwards. */
const answerTime = 50;
/** Thread-pool time of a `threads` request in milliseconds. */
const threadTime = 25;
/** Time that a `database` request holds a connection, in milliseconds. */
const queryTime = 50;
/** The same for a `pool` and a `pool-cpu` request. The latter then computes. */
const poolTime = 35;
const connections = 10;

/** Size of libuv's thread pool. With the main thread and the generator, at most two cores are busy. */
export const poolSize = 1;

export const meaning: Record<Resource, string> = {
  cpu: `${cpuTime} ms of CPU on the main thread`,
  varying: `${varyingTime} ms of CPU on the main thread, lognormal with sigma ${varyingSigma}`,
  timer: `a timer of ${timerTime} ms, then ${cpuTime} ms of CPU on the main thread`,
  query: `a query of ${answerTime} ms over a socket, then ${cpuTime} ms of CPU on the main thread`,
  queries: `a query of ${answerTime} ms over a socket before and after ${cpuTime} ms of CPU on the main thread`,
  threads: `${threadTime} ms of CPU on libuv's threads, of which there is ${poolSize}`,
  database: `${queryTime} ms of one of ${connections} connections, no CPU`,
  pool: `${poolTime} ms of one of ${connections} connections, no CPU`,
  'pool-cpu': `${poolTime} ms of one of ${connections} connections, then ${cpuTime} ms of CPU on the main thread`,
};

/** The mean time of a request that nothing delays, in milliseconds. */
export const meanTime: Record<Resource, number> = {
  cpu: cpuTime,
  varying: varyingTime,
  timer: timerTime + cpuTime,
  query: answerTime + cpuTime,
  queries: 2 * answerTime + cpuTime,
  threads: threadTime,
  database: queryTime,
  pool: poolTime,
  'pool-cpu': poolTime + cpuTime,
};

const derive = promisify(pbkdf2);

const page = Buffer.alloc(65_536, 'headgate');

const hash = (times: number): string => {
  let digest = '';
  for (let i = 0; i < times; i++) digest = createHash('sha256').update(page).digest('hex');
  return digest;
};

/** The minimum of several runs, because other load only lengthens them; over two seconds, since such load comes in bursts. */
async function timeOf(work: () => unknown): Promise<number> {
  let least = Infinity;
  for (let i = 0; i < 21; i++) {
    const start = performance.now();
    work();
    least = Math.min(least, performance.now() - start);
    await sleep(100);
  }
  return least;
}

export async function calibrate(): Promise<Work> {
  hash(100);
  const hashes = 100 / (await timeOf(() => hash(100)));
  const once = () => pbkdf2Sync('password', 'salt', 10_000, 64, 'sha512');
  return { hashes, iterations: Math.round((10_000 * threadTime) / (await timeOf(once))) };
}

/** What responds to a request: returns the body, or a promise of it. */
export const handlers: Record<Resource, (work: Work) => () => unknown> = {
  cpu:
    ({ hashes }) =>
    () => ({ digest: hash(cpuTime * hashes) }),
  varying: ({ hashes }) => {
    const next = lognormal(varyingTime, varyingSigma);
    return () => ({ digest: hash(next() * hashes) });
  },
  timer:
    ({ hashes }) =>
    async () => {
      await sleep(timerTime);
      return { digest: hash(cpuTime * hashes) };
    },
  query: ({ hashes }) => {
    const query = queries(answerTime);
    return async () => {
      await query();
      return { digest: hash(cpuTime * hashes) };
    };
  },
  queries: ({ hashes }) => {
    const query = queries(answerTime);
    return async () => {
      await query();
      const digest = hash(cpuTime * hashes);
      await query();
      return { digest };
    };
  },
  threads:
    ({ iterations }) =>
    async () => ({
      key: (await derive('password', 'salt', iterations, 64, 'sha512')).toString('hex'),
    }),
  database: () => pooled(queryTime),
  pool: () => pooled(poolTime),
  'pool-cpu': ({ hashes }) => {
    const query = pooled(poolTime);
    return async () => {
      await query();
      return { digest: hash(cpuTime * hashes) };
    };
  },
};

/** The same random times for every server. */
function lognormal(mean: number, sigma: number): () => number {
  const generator = xoroshiro128plus(1);
  const normal = () =>
    Math.sqrt(-2 * Math.log(1 - uniformFloat64(generator))) *
    Math.cos(2 * Math.PI * uniformFloat64(generator));
  return () => mean * Math.exp(sigma * normal() - sigma ** 2 / 2);
}

/**
 * A query that holds one of the connections for this time. Like a database driver's pool, the queue of the connections
 * does not notice that a client has disconnected.
 */
function pooled(time: number): () => Promise<object> {
  const queue: Array<() => void> = [];
  let free = connections;
  return async () => {
    if (free > 0) free--;
    else await new Promise<void>((resolve) => queue.push(resolve));
    await sleep(time);
    const next = queue.shift();
    if (next) next();
    else free++;
    return { rows: [] };
  };
}
