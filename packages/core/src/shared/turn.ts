const { setImmediate } = globalThis as { setImmediate?: (callback: () => void) => unknown };

/**
 * Gathers what is wanted in one turn of the event loop. The first goes at once, when the code that wants it has run;
 * what the same turn's other timers and messages want goes together, at its end. Where a runtime has no `setImmediate`,
 * what one callback wants goes together.
 */
export class Turn {
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
