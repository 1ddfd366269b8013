import type { SuiteContext, SuiteHandler } from '../framework.ts';
import { Latch } from './latch.ts';
import { until } from './until.ts';

/** A handler at work until the test says that it is done: each request waits for that, and answers with its path. */
export class Paused {
  /** The requests that have reached the handler, in that order. */
  readonly begun: SuiteContext[] = [];
  readonly #latches: Latch[] = [];
  #finished = 0;
  #open = false;

  readonly handler: SuiteHandler = async (context) => {
    const latch = new Latch();
    this.begun.push(context);
    this.#latches.push(latch);
    if (this.#open) latch.open();
    await latch.opened;
    context.send(200, context.path);
  };

  get paths(): string[] {
    return this.begun.map(({ path }) => path);
  }

  /** Waits until so many have begun. */
  async begins(count: number): Promise<void> {
    await until(() => this.begun.length >= count);
  }

  /** The one that has been at work longest is done. */
  finish(): void {
    this.#latches[this.#finished++]?.open();
  }

  /** All are, and those to come will be at once. */
  finishAll(): void {
    this.#open = true;
    for (const latch of this.#latches) latch.open();
  }
}

/** Answers at once. */
export const ok: SuiteHandler = (context) => context.send(200, 'ok');
