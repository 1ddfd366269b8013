/** What must be done one after the other, by semaphore. */
export class Sequence {
  /** Of each semaphore, when all is done that was to be done before what comes next. */
  readonly #ends = new Map<string, Promise<unknown>>();
  /** The same of each lease that is concerned. */
  readonly #busy = new Map<string, Promise<void>>();

  isBusy(id: string): boolean {
    return this.#busy.has(id);
  }

  /** It is being done, beside what is there already; what comes next waits for it, too. */
  admit(semaphore: string, work: Promise<unknown>): void {
    this.#ends.set(semaphore, Promise.all([this.#ends.get(semaphore), work]));
  }

  /** Does it after all that. */
  append<T>(semaphore: string, ids: readonly string[], work: () => Promise<T>): Promise<T> {
    const result = Promise.resolve(this.#ends.get(semaphore)).then(work);
    const end = () => {
      for (const id of ids) if (this.#busy.get(id) === done) this.#busy.delete(id);
    };
    const done: Promise<void> = result.then(end, end);
    this.#ends.set(semaphore, done);
    for (const id of ids) this.#busy.set(id, done);
    return result;
  }
}
