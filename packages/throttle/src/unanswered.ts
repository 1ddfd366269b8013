import { StoreError } from '@headgate/core/shared';
import { HttpError } from './failure.ts';

/** Requests of one kind that were not answered, by semaphore: for a while they may still arrive. */
export class Unanswered {
  readonly #until = new Map<string, number>();

  /** @param span Milliseconds after which none arrives any more. */
  constructor(private readonly span: number) {}

  /** Remembers the request if it fails without an answer. */
  async watch<T>(semaphore: string, request: Promise<T>): Promise<T> {
    try {
      return await request;
    } catch (error) {
      const isAnswered = error instanceof StoreError && error.cause instanceof HttpError;
      if (!isAnswered) this.#until.set(semaphore, performance.now() + this.span);
      throw error;
    }
  }

  /** Milliseconds until none for this semaphore arrives any more. */
  timeLeft(semaphore: string): number {
    return Math.max(0, (this.#until.get(semaphore) ?? 0) - performance.now());
  }

  /** The semaphores for which one may arrive. */
  names(): string[] {
    for (const semaphore of this.#until.keys()) {
      if (this.timeLeft(semaphore) === 0) this.#until.delete(semaphore);
    }
    return [...this.#until.keys()];
  }
}
