import type { StoreDriver } from './driver.ts';

/** The limits of a test, where they are declared to the service and not by its stores. */
export class Declared {
  #all = new Map<string, number>();
  #told = 0;
  #telling = Promise.resolve();

  constructor(private readonly driver: Pick<StoreDriver, 'declare'> = {}) {}

  /** The first who names a limit says what it is. */
  add(name: string, limit: number): void {
    if (!this.#all.has(name)) this.#all.set(name, limit);
  }

  /** Forgets limits that no test uses any more: a service whose figures list them all would become ever slower. */
  clear(): void {
    this.#all = new Map();
    this.#told = 0;
  }

  /** Does it when the service has all of them: at once where it need not be told. */
  whenTold<T>(work: () => Promise<T>): Promise<T> {
    if (this.driver.declare === undefined) return work();
    if (this.#told < this.#all.size) {
      this.#told = this.#all.size;
      this.#telling = this.#telling.then(() => this.driver.declare?.(this.#all));
    }
    return this.#telling.then(work);
  }
}
