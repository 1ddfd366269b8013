/** A waiter in the service's queue. */
export interface Waiting {
  /** The lease's id. */
  readonly id: string;
  readonly peer: bigint;
  readonly weight: number;
}

/** This process's waiters for one semaphore, in the order in which they joined the service's queue. */
export class LocalQueue {
  readonly #waiting = new Set<Waiting>();

  constructor(
    readonly semaphore: string,
    private readonly left: (queue: LocalQueue) => void,
  ) {}

  /** The waiter that the service will grant next. */
  get first(): Waiting | undefined {
    for (const waiting of this.#waiting) return waiting;
    return undefined;
  }

  join(waiting: Waiting): void {
    this.#waiting.add(waiting);
  }

  /** Removes the waiter. Returns whether it was queued until now. */
  leave(waiting: Waiting): boolean {
    const wasQueued = this.#waiting.delete(waiting);
    if (wasQueued) this.left(this);
    return wasQueued;
  }
}
