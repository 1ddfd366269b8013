import { hrtime } from 'node:process';
import { milliseconds } from '../timing.ts';
import type { Contender, Place } from './contender.ts';
import { type Alone, crowd, type Load, type Pairs, type Served, sequence } from './loops.ts';

/** Milliseconds of a clock that all processes of a machine share. */
const now = (): number => Number(hrtime.bigint()) / 1e6;

/** What a process can be asked to do. */
export class Tasks {
  readonly #contender: Contender;
  /** The least that can be asked of the server. */
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

  /** So many, by callers who do nothing between; how many in a second. */
  async cycles({ count, callers }: { count: number; callers: number }): Promise<number> {
    const start = milliseconds();
    let left = count;
    const caller = async () => {
      while (left-- > 0) await this.#giveBack(await this.#contender.acquire());
    };
    await Promise.all(Array.from({ length: callers }, caller));
    return (count * 1_000) / (milliseconds() - start);
  }

  /** Takes so many places, and keeps them. */
  async hold(count: number): Promise<void> {
    for (let i = 0; i < count; i++) this.#held.push(await this.#contender.acquire());
  }

  /** Gives one back; when. */
  async letGo(): Promise<number> {
    const at = now();
    await this.#giveBack(this.#held.pop());
    return at;
  }

  /** Takes a place and gives it back; when it was let in. */
  async pass(): Promise<number> {
    const place = await this.#contender.acquire();
    const at = now();
    await this.#giveBack(place);
    return at;
  }

  /** Joins the line so many times, for as long as the process lives. */
  async queue(count: number): Promise<void> {
    for (let i = 0; i < count; i++) void this.#contender.acquire();
  }

  /** Milliseconds of each of so many round trips. */
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
