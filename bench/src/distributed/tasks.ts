import { hrtime } from 'node:process';
import { milliseconds } from '../timing.ts';
import type { Contender, Held } from './contender.ts';
import { type Alone, crowd, type Load, type Pairs, type Served, sequence } from './loops.ts';

/** Milliseconds of a clock that all processes of the machine share. */
const now = (): number => Number(hrtime.bigint()) / 1e6;

/** The tasks of a process. */
export class Tasks {
  readonly #contender: Contender;
  /** The cheapest request to the server. */
  readonly #ping: () => Promise<unknown>;
  readonly #held: Held[] = [];

  constructor(contender: Contender, ping: () => Promise<unknown>) {
    this.#contender = contender;
    this.#ping = ping;
  }

  crowd(load: Load): Promise<Served> {
    return crowd(this.#contender, load);
  }

  sequence(alone: Alone): Promise<Pairs> {
    return sequence(this.#contender, alone);
  }

  /** Runs `count` cycles without work between; resolves to the cycles per second. */
  async cycles({ count, callers }: { count: number; callers: number }): Promise<number> {
    const start = milliseconds();
    let left = count;
    const caller = async () => {
      while (left-- > 0) await this.#release(await this.#contender.acquire());
    };
    await Promise.all(Array.from({ length: callers }, caller));
    return (count * 1_000) / (milliseconds() - start);
  }

  /** Acquires `count` permits and keeps them. */
  async hold(count: number): Promise<void> {
    for (let i = 0; i < count; i++) this.#held.push(await this.#contender.acquire());
  }

  /** Releases one permit; resolves to the time. */
  async letGo(): Promise<number> {
    const at = now();
    await this.#release(this.#held.pop());
    return at;
  }

  /** Acquires and releases a permit; resolves to the time of the grant. */
  async pass(): Promise<number> {
    const held = await this.#contender.acquire();
    const at = now();
    await this.#release(held);
    return at;
  }

  /** Enqueues `count` waiters for the lifetime of the process. */
  async queue(count: number): Promise<void> {
    for (let i = 0; i < count; i++) void this.#contender.acquire();
  }

  /** Resolves to the durations of `count` round trips in milliseconds. */
  async ping(count: number): Promise<number[]> {
    const times: number[] = [];
    for (let i = 0; i < count; i++) {
      const start = milliseconds();
      await this.#ping();
      times.push(milliseconds() - start);
    }
    return times;
  }

  async #release(held: Held | undefined): Promise<void> {
    await held?.release();
    await this.#contender.settled?.();
  }
}
