/** One that waits at the service. */
export interface Waiting {
  /** Of the lease. */
  readonly id: string;
  readonly peer: bigint;
  readonly weight: number;
}

/** Those of this process who wait for one semaphore, in the order in which they have joined the service's line. */
export class Line {
  readonly #waiting = new Set<Waiting>();

  constructor(readonly semaphore: string) {}

  /** Who is let in before all others here. */
  get first(): Waiting | undefined {
    for (const waiting of this.#waiting) return waiting;
    return undefined;
  }

  join(waiting: Waiting): void {
    this.#waiting.add(waiting);
  }

  /** Whether it has waited until now. */
  leave(waiting: Waiting): boolean {
    return this.#waiting.delete(waiting);
  }
}
