import { hrtime } from 'node:process';
import { milliseconds } from '../timing.ts';
import type { Contender, Place } from './contender.ts';
import { type Alone, crowd, type Load, type Pairs, type Served, sequence } from './loops.ts';

/** Milliseconds of a clock that all processes of a machine share. */
const now = (): number => Number(hrtime.bigint()) / 1e6;

/** The tasks of a process. */
export class Tasks {
  readonly #contender: Contender;
  /** The cheapest request to the server. */
  readonly #ask: () => Promise<unknown>;
  readonly #held: Place[] = [];

  constructor(contender: Contender, ask: () => Promise<unknown>) {
    this.#contender = contender;
    this.#ask = ask;
  }

  crowd(load: Load): Promise<Served> {
    return crowd(this.#contender, load);
  }

  sequence(alone: Alone): Promise<Pairs> {
    return sequence(this.#contender, alone);
  }

  /** So many pairs, by callers without work in between; returns the rate per second. */
  async cycles({ count, callers }: { count: number; callers: number }): Promise<number> {
    const start = milliseconds();
    let left = count;
    const caller = async () => {
      while (left-- > 0) await this.#giveBack(await this.#contender.acquire());
    };
    await Promise.all(Array.from({ length: callers }, caller));
    return (count * 1_000) / (milliseconds() - start);
  }

  /** Acquires so many permits, and holds them. */
  async hold(count: number): Promise<void> {
    for (let i = 0; i < count; i++) this.#held.push(await this.#contender.acquire());
  }

  /** Releases one permit; returns when. */
  async letGo(): Promise<number> {
    const at = now();
    await this.#giveBack(this.#held.pop());
    return at;
  }

  /** Acquires a permit and releases it; returns when it was granted. */
  async pass(): Promise<number> {
    const place = await this.#contender.acquire();
    const at = now();
    await this.#giveBack(place);
    return at;
  }

  /** Enqueues so many callers, for as long as the process runs. */
  async queue(count: number): Promise<void> {
    for (let i = 0; i < count; i++) void this.#contender.acquire();
  }

  /** The duration of each of so many round trips, in milliseconds. */
  async ping(count: number): Promise<number[]> {
    const times: number[] = [];
    for (let i = 0; i < count; i++) {
      const start = milliseconds();
      await this.#ask();
      times.push(milliseconds() - start);
    }
    return times;
  }

  async #giveBack(place: Place | undefined): Promise<void> {
    await place?.release();
    await this.#contender.settled?.();
  }
}
