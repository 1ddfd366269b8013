import { onWorkers, StoreError } from '@headgate/core';
import { attempt, outsideRequest, startTimer } from '@headgate/core/engine';
import type { Answer, LeaseStore, Op, Reply } from '../contract.ts';
import { Backoff } from './backoff.ts';
import { answerOfRepeated } from './repeated-release.ts';
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

/** Receives the answer, and the time at which the operation was sent last. */
export type Answered = (answer: Answer, sent: number) => void;

interface Task {
  readonly op: Op;
  readonly answered: Answered;
  /** When it must be answered: an outage begins then. */
  readonly due: number;
  wasSent: boolean;
}

/** Maximum pause before a repetition in milliseconds. It is also at most half of the remaining time. */
const MAX_PAUSE = 250;
/** Minimum time in milliseconds for a repetition. */
const MIN_TIME_LEFT = 5;

/**
 * Sends the operations of one event-loop iteration together. Each gets an answer, even if the store misbehaves. An
 * operation that fails because the connection was refused or lost is repeated until its `timeout` has passed, so that a
 * short restart of the server is no outage.
 */
export class Batch {
  /** Moving average of the round trips in milliseconds, without failed calls. */
  roundTrip: number | undefined = undefined;
  #pending: Task[] = [];
  /** Operations that are sent again after the pause. */
  #failed: Task[] = [];
  readonly #coalescer = new Coalescer(() => {
    void this.#send();
  });
  readonly #backoff: Backoff;
  /** Ends the pause before the next attempt; undefined unless the store cannot be reached. */
  #endPause: (() => void) | undefined;

  constructor(
    private readonly store: LeaseStore,
    private readonly counters: StoreCounters,
  ) {
    this.#backoff = new Backoff(() => store.clock.random?.() ?? Math.random());
  }

  add(op: Op, answered: Answered): void {
    const { clock, timeout } = this.store;
    this.#pending.push({ op, answered, due: clock.now() + timeout, wasSent: false });
    if (this.#endPause === undefined) this.#coalescer.soon();
  }

  /** The store can be reached again: repeats failed operations now. */
  resume(): void {
    this.#endPause?.();
  }

  async #send(): Promise<void> {
    const tasks = [...this.#failed, ...this.#pending];
    this.#failed = [];
    this.#pending = [];
    const sent = this.store.clock.now();
    const timeout = firstDue(tasks) - sent;
    this.counters.calls++;
    const answers = await this.#answers(tasks, timeout);
    if (answers.some((answer) => answer !== undefined && 'state' in answer)) {
      this.#backoff.reset();
      this.#measured(this.store.clock.now() - sent);
    }
    const failed = new Set(tasks.filter((task, index) => this.#mayRepeat(task, answers[index])));
    if (failed.size > 0) this.#repeatLater(failed);
    // Answers must not run in the async context of the first request: they may start operations of other requests,
    // which would inherit it.
    outsideRequest(() => {
      for (const [index, task] of tasks.entries()) {
        if (!failed.has(task)) this.#answer(task, answers[index], sent);
      }
    });
  }

  #answer(task: Task, received: Answer | undefined, sent: number): void {
    const answer = received ?? down('the store returned an invalid answer');
    if ('error' in answer) this.counters.errors++;
    else if (answer.reclaimed > 0) this.counters.reclaimed += answer.reclaimed;
    attempt(() => task.answered(answer, sent));
  }

  /** Whether the server could not be reached, and the operation has time left. */
  #mayRepeat({ due }: Task, answer: Answer | undefined): boolean {
    if (answer === undefined || !('error' in answer) || this.store.closed) return false;
    const isDown = answer.error.code === 'ERR_HEADGATE_STORE_DOWN';
    return isDown && due - this.store.clock.now() >= MIN_TIME_LEFT;
  }

  /** Sends these operations again after a pause, together with those that are added meanwhile. */
  #repeatLater(tasks: Iterable<Task>): void {
    for (const task of tasks) {
      task.wasSent = true;
      this.#failed.push(task);
    }
    if (this.#endPause !== undefined) return;
    const { clock } = this.store;
    const maxPause = Math.min(MAX_PAUSE, (firstDue(this.#failed) - clock.now()) / 2);
    const end = () => {
      cancel();
      this.#endPause = undefined;
      this.#coalescer.soon();
    };
    const cancel = startTimer(clock, this.#backoff.next(maxPause), end);
    this.#endPause = end;
  }

  #measured(roundTrip: number): void {
    this.roundTrip ??= roundTrip;
    this.roundTrip += (roundTrip - this.roundTrip) / 10;
  }

  /** Tolerates a store that throws, rejects, or returns invalid answers. */
  async #answers(tasks: readonly Task[], timeout: number): Promise<(Answer | undefined)[]> {
    try {
      const ops = tasks.map(({ op }) => op);
      const answers: unknown[] = await this.store.send(ops, timeout);
      return tasks.map(({ op, wasSent }, index) => {
        const answer = answers[index];
        if (!isAnswer(answer)) return undefined;
        return wasSent ? answerOfRepeated(op, answer) : answer;
      });
    } catch (error) {
      return tasks.map(() => down('the store failed unexpectedly', error));
    }
  }
}

function firstDue(tasks: readonly Task[]): number {
  return tasks.reduce((first, { due }) => Math.min(first, due), Infinity);
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
