const { setImmediate } = globalThis as { setImmediate?: (callback: () => void) => unknown };

/**
 * Coalesces calls of one event-loop iteration. The first callback's calls cause one run as soon as it has returned;
 * those of the iteration's other timers and messages cause one run at its end. In a runtime without `setImmediate`,
 * each callback's calls cause one run.
 */
export class Coalescer {
  #isWanted = false;
  #hasBegun = false;

  constructor(private readonly go: () => void) {}

  soon(): void {
    if (this.#isWanted) return;
    this.#isWanted = true;
    if (!this.#hasBegun) queueMicrotask(() => this.#begin());
  }

  #begin(): void {
    this.#isWanted = false;
    this.go();
    if (setImmediate === undefined) return;
    this.#hasBegun = true;
    setImmediate(() => this.#end());
  }

  #end(): void {
    this.#hasBegun = false;
    if (this.#isWanted) this.#begin();
  }
}
