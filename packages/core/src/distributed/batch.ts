import { throwLater } from '../errors.ts';
import { StoreError } from '../semaphore/rejection.ts';
import { Coalescer } from './coalescer.ts';
import type { Answer, Op, Store } from './store.ts';

/** Receives the answer, and the time at which the operation was sent. */
export type Answered = (answer: Answer, sent: number) => void;

/** Sends the operations of one event-loop iteration together. Each gets an answer, even if the store misbehaves. */
export class Batch {
  #pending: { op: Op; answered: Answered }[] = [];
  readonly #turn = new Coalescer(() => {
    void this.#send();
  });

  constructor(private readonly store: Store) {}

  add(op: Op, answered: Answered): void {
    this.#pending.push({ op, answered });
    this.#turn.soon();
  }

  async #send(): Promise<void> {
    const batch = this.#pending;
    this.#pending = [];
    const sent = this.store.clock.now();
    const answers = await this.#answers(batch.map(({ op }) => op));
    for (const [index, { answered }] of batch.entries()) {
      try {
        answered(answers[index] ?? invalidAnswer, sent);
      } catch (error) {
        throwLater(error);
      }
    }
  }

  /** Tolerates a store that throws, rejects, or returns invalid answers. */
  async #answers(ops: readonly Op[]): Promise<(Answer | undefined)[]> {
    try {
      const answers: unknown[] = await this.store.send(ops, this.store.timeout);
      return ops.map((_, index) => (isAnswer(answers[index]) ? answers[index] : undefined));
    } catch (error) {
      return ops.map(() => failed(error));
    }
  }
}

function isAnswer(answer: unknown): answer is Answer {
  return typeof answer === 'object' && answer !== null && ('state' in answer || 'error' in answer);
}

function failed(cause: unknown): Answer {
  return {
    error: new StoreError('ERR_HEADGATE_STORE_DOWN', 'the store failed unexpectedly', cause),
  };
}

const invalidAnswer: Answer = {
  error: new StoreError('ERR_HEADGATE_STORE_DOWN', 'the store returned an invalid answer'),
};
