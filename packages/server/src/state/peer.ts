import type { PendingLock, Semaphore } from './semaphore.ts';
import type { Wait } from './wait.ts';

/** Who holds locks and waits for at most one; all of them end with it. */
export class Peer {
  readonly acquired = new Map<Semaphore, bigint>();
  pending: PendingLock | undefined = undefined;
  /** The requests that are not answered before it waits no longer. */
  readonly waits = new Set<Wait>();

  constructor(
    readonly id: bigint,
    public validUntil: number,
  ) {}

  /** What it holds of a semaphore, or waits for. */
  demand(semaphore: Semaphore): bigint | undefined {
    if (this.pending?.semaphore === semaphore) return this.pending.count;
    return this.acquired.get(semaphore);
  }

  /** The lowest level of what it holds. */
  get level(): number | undefined {
    let lowest: number | undefined;
    for (const { level } of this.acquired.keys()) {
      if (lowest === undefined || level < lowest) lowest = level;
    }
    return lowest;
  }

  /** Lets go of all that it holds, and waits for nothing. Returns of what there may be room now. */
  leave(): Semaphore[] {
    const semaphores = [...this.acquired.keys()];
    for (const semaphore of semaphores) semaphore.free(this);
    if (this.pending !== undefined) semaphores.push(this.pending.semaphore);
    this.withdraw();
    return semaphores;
  }

  /** Waits no longer. The line is not served by that: more may be about to leave it. */
  withdraw(): void {
    this.pending?.semaphore.leave(this.pending);
    this.pending = undefined;
  }

  /** Whether it holds just these. */
  holds(locks: ReadonlyMap<Semaphore, bigint>): boolean {
    if (locks.size !== this.acquired.size) return false;
    for (const [semaphore, count] of locks) {
      if (this.acquired.get(semaphore) !== count) return false;
    }
    return true;
  }
}
