/** The requests started since the last poll of the loop. */
export class StartedWork {
  #startedAt: number | undefined;
  #finishedAt = 0;
  /**
   * The number of started requests that have not finished yet. Those that were started before the poll and finish now
   * are not told apart: in simulations, that makes no difference.
   */
  #unfinished = 0;

  started(now: number): void {
    this.#startedAt ??= now;
    this.#unfinished++;
  }

  finished(now: number): void {
    this.#finishedAt = now;
    if (this.#unfinished > 0) this.#unfinished--;
  }

  /**
   * Milliseconds of work, done and expected: a handler may begin later than its request is started, so those that have
   * not finished count as `perRequest` each. Undefined if none was started.
   */
  milliseconds(now: number, perRequest: number): number | undefined {
    if (this.#startedAt === undefined) return undefined;
    return now - this.#startedAt + this.#unfinished * perRequest;
  }

  /** Ends at a poll; returns the milliseconds from the first start to the last end. */
  polled(): number {
    const worked = this.#startedAt === undefined ? 0 : this.#finishedAt - this.#startedAt;
    this.#startedAt = undefined;
    this.#unfinished = 0;
    return Math.max(0, worked);
  }
}
