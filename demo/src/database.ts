import { setTimeout } from 'node:timers/promises';

/** The number of queries that run at once. */
export const connections = 5;

/** Milliseconds that a query takes: anything from half of this to one and a half times, all equally likely. */
export const queryTime = 50;

/**
 * Stands in for a database with a pool of connections, the bottleneck of many applications: it runs a few queries at
 * once, and further ones wait for a connection, in the pool's own queue. Its capacity is the same on any machine.
 */
export class Database {
  readonly #waiting: (() => void)[] = [];
  #free = connections;

  async query(): Promise<void> {
    if (this.#free > 0) this.#free--;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    await setTimeout(queryTime * (0.5 + Math.random()));
    const next = this.#waiting.shift();
    if (next === undefined) this.#free++;
    else next();
  }
}
