import type { Limiter } from '@headgate/core';
import { Caller } from './caller.ts';

interface CallerEvent {
  readonly name: string;
  run(): void;
}

/** The callers of a scene, which use its processes in turn. */
export class Callers {
  readonly all: Caller[] = [];

  constructor(
    private readonly limiters: readonly Limiter[],
    /** How long every second caller holds its permit at the end of a run, in milliseconds. */
    private readonly longWork: number,
  ) {}

  get areDone(): boolean {
    return this.all.every(({ isSettled, permit }) => isSettled && permit === undefined);
  }

  get running(): readonly Caller[] {
    return this.all.filter(({ isRunning }) => isRunning);
  }

  /** The next caller acquires. */
  acquire(): CallerEvent {
    const number = this.all.length;
    const run = () => {
      const limiter = this.limiters[number % this.limiters.length] as Limiter;
      const caller = new Caller(number, limiter, number % 2 === 0 ? 0 : this.longWork);
      this.all.push(caller);
      caller.acquire();
    };
    return { name: `caller ${number} acquires`, run };
  }

  /** Each waiting caller may abort. */
  aborts(): CallerEvent[] {
    const waiting = this.all.filter(({ isSettled }) => !isSettled);
    return waiting.map((caller) => {
      return { name: `caller ${caller.number} aborts`, run: () => caller.abort() };
    });
  }

  /** Each of these callers may release its permit. */
  releases(callers: readonly Caller[] = this.all): CallerEvent[] {
    const holding = callers.filter(({ permit }) => permit !== undefined);
    return holding.map((caller) => {
      return { name: `caller ${caller.number} releases`, run: () => caller.release() };
    });
  }
}
