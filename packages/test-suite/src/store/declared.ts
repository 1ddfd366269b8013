import type { StoreDriver } from './driver.ts';

/** The limits of a test, for a service to which the test must declare limits because the service's stores do not. */
export class Declared {
  #all = new Map<string, number>();
  #declaredCount = 0;
  #pending = Promise.resolve();

  constructor(private readonly driver: Pick<StoreDriver, 'declare'> = {}) {}

  /** Adds a limit, unless it is known already. */
  add(name: string, limit: number): void {
    if (!this.#all.has(name)) this.#all.set(name, limit);
  }

  /**
   * Forgets limits that no test uses any more. Otherwise the service's statistics would list all of them and become
   * ever slower.
   */
  clear(): void {
    this.#all = new Map();
    this.#declaredCount = 0;
  }

  /** Calls `work` once the service knows all limits, or immediately if it need not know them. */
  whenDeclared<T>(work: () => Promise<T>): Promise<T> {
    if (this.driver.declare === undefined) return work();
    if (this.#declaredCount < this.#all.size) {
      this.#declaredCount = this.#all.size;
      this.#pending = this.#pending.then(() => this.driver.declare?.(this.#all));
    }
    return this.#pending.then(work);
  }
}
