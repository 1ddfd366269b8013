/** Milliseconds for which the page may wait until it can respond to its user. */
const SLICE_MS = 12;

/** Runs steps without blocking the page for long, then calls `done` with what they return. Returns a function that stops. */
function inSlices<Result>(steps: Iterator<void, Result>, done: (result: Result) => void) {
  let timer: ReturnType<typeof setTimeout>;
  const slice = () => {
    const end = performance.now() + SLICE_MS;
    while (performance.now() < end) {
      const step = steps.next();
      if (step.done) return done(step.value);
    }
    timer = setTimeout(slice);
  };
  timer = setTimeout(slice);
  return () => clearTimeout(timer);
}

/**
 * Runs one computation at a time. If several are requested meanwhile, only the latest one runs, so that results continue
 * to appear while a slider moves.
 */
export class LatestOnly {
  #isRunning = false;
  #next: (() => void) | undefined;
  #stop = () => {};

  /** @param done Called with the result, and whether it is the latest that was requested. */
  run<Result>(
    steps: () => Iterator<void, Result>,
    done: (result: Result, isLatest: boolean) => void,
  ): void {
    if (this.#isRunning) {
      this.#next = () => this.run(steps, done);
      return;
    }
    this.#isRunning = true;
    this.#stop = inSlices(steps(), (result) => {
      this.#isRunning = false;
      const next = this.#next;
      this.#next = undefined;
      done(result, next === undefined);
      next?.();
    });
  }

  stop(): void {
    this.#next = undefined;
    this.#stop();
  }
}
