import { StoreError } from '@headgate/store-kit';
import { HttpError } from '../failure.ts';

/** Unanswered requests of one kind, by semaphore. They may still reach the service for a while. */
export class Unanswered {
  readonly #until = new Map<string, number>();

  /** @param span Milliseconds after which an unanswered request can no longer reach the service. */
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

  /** Milliseconds until no request for this semaphore can reach the service any more. */
  timeLeft(semaphore: string): number {
    return Math.max(0, (this.#until.get(semaphore) ?? 0) - performance.now());
  }

  /** The semaphores for which a request may still reach the service. */
  names(): string[] {
    for (const semaphore of this.#until.keys()) {
      if (this.timeLeft(semaphore) === 0) this.#until.delete(semaphore);
    }
    return [...this.#until.keys()];
  }
}
