import { onWorkers, StoreError } from '@headgate/core';
import { attempt, outsideRequest } from '@headgate/core/engine';
import type { Answer, LeaseStore, Op, Reply } from '../contract.ts';
import type { StoreCounters } from './store-counters.ts';

/** Not used on Cloudflare Workers, where an immediate ends with the request that set it. */
const { setImmediate } = (onWorkers() ? {} : globalThis) as {
  setImmediate?: (callback: () => void) => unknown;
};

/**
 * Coalesces the calls of `soon` in one event-loop iteration. Runs `send` right after the first callback that calls it.
 * If others call it in the same iteration, runs `send` once more at the end, in the async context of the first of them.
 * In a runtime without `setImmediate`, runs `send` once for each callback.
 */
export class Coalescer {
  #isWanted = false;
  /** Resolves at the end of the iteration in which something was sent. */
  #iteration: Promise<void> | undefined;

  constructor(private readonly send: () => void) {}

  soon(): void {
    if (this.#isWanted) return;
    this.#isWanted = true;
    if (this.#iteration === undefined) queueMicrotask(() => this.#begin());
    else this.#iteration.then(() => this.#begin());
  }

  #begin(): void {
    this.#isWanted = false;
    this.send();
    if (setImmediate === undefined) return;
    this.#iteration = new Promise((resolve) => {
      setImmediate(() => {
        this.#iteration = undefined;
        resolve();
      });
    });
  }
}

/** Receives the answer, and the time at which the operation was sent. */
export type Answered = (answer: Answer, sent: number) => void;

/** Sends the operations of one event-loop iteration together. Each gets an answer, even if the store misbehaves. */
export class Batch {
  /** Moving average of the round trips in milliseconds, without failed calls. */
  roundTrip: number | undefined = undefined;
  #pending: { op: Op; answered: Answered }[] = [];
  readonly #coalescer = new Coalescer(() => {
    void this.#send();
  });

  constructor(
    private readonly store: LeaseStore,
    private readonly counters: StoreCounters,
  ) {}

  add(op: Op, answered: Answered): void {
    this.#pending.push({ op, answered });
    this.#coalescer.soon();
  }

  async #send(): Promise<void> {
    const batch = this.#pending;
    this.#pending = [];
    const sent = this.store.clock.now();
    this.counters.calls++;
    const answers = await this.#answers(batch.map(({ op }) => op));
    if (answers.some((answer) => answer !== undefined && 'state' in answer)) {
      this.#measured(this.store.clock.now() - sent);
    }
    // Answers must not run in the async context of the first request: they may start operations of other requests,
    // which would inherit it.
    outsideRequest(() => {
      for (const [index, { answered }] of batch.entries()) {
        const answer = answers[index] ?? down('the store returned an invalid answer');
        if ('error' in answer) this.counters.errors++;
        else if (answer.reclaimed > 0) this.counters.reclaimed += answer.reclaimed;
        attempt(() => answered(answer, sent));
      }
    });
  }

  #measured(roundTrip: number): void {
    this.roundTrip ??= roundTrip;
    this.roundTrip += (roundTrip - this.roundTrip) / 10;
  }

  /** Tolerates a store that throws, rejects, or returns invalid answers. */
  async #answers(ops: readonly Op[]): Promise<(Answer | undefined)[]> {
    try {
      const answers: unknown[] = await this.store.send(ops, this.store.timeout);
      return ops.map((_, index) => (isAnswer(answers[index]) ? answers[index] : undefined));
    } catch (error) {
      return ops.map(() => down('the store failed unexpectedly', error));
    }
  }
}

const states: readonly unknown[] = [
  'held',
  'queued',
  'full',
  'lost',
  'ok',
] satisfies Reply['state'][];

function isAnswer(answer: unknown): answer is Answer {
  if (typeof answer !== 'object' || answer === null) return false;
  return 'error' in answer || ('state' in answer && states.includes(answer.state));
}

function down(message: string, cause?: unknown): Answer {
  return { error: new StoreError('ERR_HEADGATE_STORE_DOWN', message, cause) };
}
