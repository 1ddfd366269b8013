import { throwLater } from '../errors.ts';
import { StoreError } from '../limiter/store-error.ts';
import type { Answer, Op, Store } from './store.ts';
import { Turn } from './turn.ts';

/** Is told the answer, and when the question was sent. */
export type Answered = (answer: Answer, sent: number) => void;

/** What is asked of a store in one turn travels together; every question has an answer, whatever the store does. */
export class Batch {
  #asked: { op: Op; answered: Answered }[] = [];
  readonly #turn = new Turn(() => {
    void this.#send();
  });

  constructor(private readonly store: Store) {}

  add(op: Op, answered: Answered): void {
    this.#asked.push({ op, answered });
    this.#turn.soon();
  }

  async #send(): Promise<void> {
    const asked = this.#asked;
    this.#asked = [];
    const sent = this.store.clock.now();
    const answers = await this.#answers(asked.map(({ op }) => op));
    for (const [index, { answered }] of asked.entries()) {
      try {
        answered(answers[index] ?? silent, sent);
      } catch (error) {
        throwLater(error);
      }
    }
  }

  /** Also of a store that throws, or rejects, or answers nonsense. */
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
  return { error: new StoreError('ERR_HEADGATE_STORE_DOWN', 'the store has failed', cause) };
}

const silent: Answer = {
  error: new StoreError('ERR_HEADGATE_STORE_DOWN', 'the store gave no answer that makes sense'),
};
