/** A waiter at the service. */
export interface Waiting {
  /** Of the lease. */
  readonly id: string;
  readonly peer: bigint;
  readonly weight: number;
}

/** The waiters of this process for one semaphore, in the order in which they have joined the service's queue. */
export class Line {
  readonly #waiting = new Set<Waiting>();

  constructor(
    readonly semaphore: string,
    private readonly left: (line: Line) => void,
  ) {}

  /** The next one of this process to be granted. */
  get first(): Waiting | undefined {
    for (const waiting of this.#waiting) return waiting;
    return undefined;
  }

  join(waiting: Waiting): void {
    this.#waiting.add(waiting);
  }

  /** Whether it has waited until now. */
  leave(waiting: Waiting): boolean {
    const hasWaited = this.#waiting.delete(waiting);
    if (hasWaited) this.left(this);
    return hasWaited;
  }
}
