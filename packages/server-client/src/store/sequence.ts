/** Orders the operations on each semaphore. */
export class Sequence {
  /** For each semaphore: a promise that settles when all operations that the next one must wait for are done. */
  readonly #ends = new Map<string, Promise<unknown>>();
  /** The same per lease. */
  readonly #busy = new Map<string, Promise<void>>();

  isBusy(id: string): boolean {
    return this.#busy.has(id);
  }

  /** Adds an operation that already runs concurrently; later ones wait for it, too. */
  admit(semaphore: string, work: Promise<unknown>): void {
    this.#endWith(semaphore, Promise.all([this.#ends.get(semaphore), work]));
  }

  /** Runs an operation after all earlier ones. */
  append<T>(semaphore: string, ids: readonly string[], work: () => Promise<T>): Promise<T> {
    const result = Promise.resolve(this.#ends.get(semaphore)).then(work);
    const end = () => {
      for (const id of ids) if (this.#busy.get(id) === done) this.#busy.delete(id);
    };
    const done: Promise<void> = result.then(end, end);
    this.#endWith(semaphore, done);
    for (const id of ids) this.#busy.set(id, done);
    return result;
  }

  /** Forgets the promise once it has settled, since a promise keeps the async context of the request that created it. */
  #endWith(semaphore: string, end: Promise<unknown>): void {
    this.#ends.set(semaphore, end);
    const forget = () => {
      if (this.#ends.get(semaphore) === end) this.#ends.delete(semaphore);
    };
    end.then(forget, forget);
  }
}
