import type { SuiteContext, SuiteHandler } from '../framework.ts';
import { Latch } from './latch.ts';
import { until } from './until.ts';

/** A handler whose requests wait until the test finishes them. Each responds with its path. */
export class Paused {
  /** The requests that have reached the handler, in order. */
  readonly begun: SuiteContext[] = [];
  readonly #latches: Latch[] = [];
  #finished = 0;
  #open = false;

  /** The handler itself. */
  readonly handler: SuiteHandler = async (context) => {
    const latch = new Latch();
    this.begun.push(context);
    this.#latches.push(latch);
    if (this.#open) latch.open();
    await latch.opened;
    context.send(200, context.path);
  };

  /** The paths of the requests that have reached the handler, in order. */
  get paths(): string[] {
    return this.begun.map(({ path }) => path);
  }

  /** Waits until this many requests have reached the handler. */
  async begins(count: number): Promise<void> {
    await until(() => this.begun.length >= count);
  }

  /** Finishes one request. Default: the oldest that has not been finished. */
  finish(index = this.#finished++): void {
    this.#latches[index]?.open();
  }

  /** Finishes all running requests, and all later ones immediately. */
  finishAll(): void {
    this.#open = true;
    for (const latch of this.#latches) latch.open();
  }
}

/** Responds immediately. */
export const ok: SuiteHandler = (context) => context.send(200, 'ok');
