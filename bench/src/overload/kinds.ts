import { createHash, pbkdf2, pbkdf2Sync } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { RequestHandler } from 'express';

/** The resource that a handler uses. */
export type Kind = 'cpu' | 'threads' | 'database';

export const kinds: readonly Kind[] = ['cpu', 'threads', 'database'];

/** The amount of work that takes the intended time: determined once, then used for all servers of a run. */
export interface Work {
  /** Hashes of a `cpu` request. */
  hashes: number;
  /** PBKDF2 iterations of a `threads` request. */
  iterations: number;
}

/** Milliseconds of main thread. */
const cpuTime = 10;
/** Milliseconds of a thread of the pool. */
const threadTime = 25;
/** Milliseconds of a connection. */
const queryTime = 50;
const connections = 10;

/** Threads of libuv's pool: together with the main thread and the generator they use no more than two cores. */
export const poolSize = 1;

export const meaning: Record<Kind, string> = {
  cpu: `${cpuTime} ms of CPU on the main thread`,
  threads: `${threadTime} ms of CPU on libuv's threads, of which there is ${poolSize}`,
  database: `${queryTime} ms of one of ${connections} connections, no CPU`,
};

const page = Buffer.alloc(65_536, 'headgate');

const hash = (times: number): string => {
  let digest = '';
  for (let i = 0; i < times; i++) digest = createHash('sha256').update(page).digest('hex');
  return digest;
};

/** The minimum, because other load on the machine only increases the time. */
function timeOf(work: () => unknown): number {
  const times = Array.from({ length: 21 }, () => {
    const start = performance.now();
    work();
    return performance.now() - start;
  });
  return Math.min(...times);
}

export function calibrate(): Work {
  hash(100);
  const hashes = Math.round((100 * cpuTime) / timeOf(() => hash(100)));
  const derive = () => pbkdf2Sync('password', 'salt', 10_000, 64, 'sha512');
  return { hashes, iterations: Math.round((10_000 * threadTime) / timeOf(derive)) };
}

export const handlers: Record<Kind, (work: Work) => RequestHandler> = {
  cpu:
    ({ hashes }) =>
    (_req, res) =>
      void res.json({ digest: hash(hashes) }),
  threads:
    ({ iterations }) =>
    (_req, res, next) =>
      pbkdf2('password', 'salt', iterations, 64, 'sha512', (error, key) => {
        if (error) next(error);
        else res.json({ key: key.toString('hex') });
      }),
  database: () => {
    const pool = new ConnectionPool();
    return async (_req, res) => {
      await pool.query();
      res.json({ rows: [] });
    };
  },
};

/**
 * First come, first served. It does not notice that a client has disconnected; neither does a database driver's pool.
 */
class ConnectionPool {
  #free = connections;
  readonly #line: Array<() => void> = [];

  async query(): Promise<void> {
    if (this.#free > 0) this.#free--;
    else await new Promise<void>((resolve) => this.#line.push(resolve));
    await sleep(queryTime);
    const next = this.#line.shift();
    if (next) next();
    else this.#free++;
  }
}
