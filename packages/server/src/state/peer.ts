import type { PendingLock, Semaphore } from './semaphore.ts';
import type { Wait } from './wait.ts';

/** A client's session: holds locks and has at most one pending lock. All of them end with it. */
export class Peer {
  readonly acquired = new Map<Semaphore, bigint>();
  pending: PendingLock | undefined = undefined;
  /** The blocked requests that are answered once no lock of this peer is pending. */
  readonly waits = new Set<Wait>();

  constructor(
    readonly id: bigint,
    public validUntil: number,
  ) {}

  /** The count of this semaphore that it holds or has requested. */
  demand(semaphore: Semaphore): bigint | undefined {
    if (this.pending?.semaphore === semaphore) return this.pending.count;
    return this.acquired.get(semaphore);
  }

  /** The lowest level of the semaphores it holds. */
  get level(): number | undefined {
    let lowest: number | undefined;
    for (const { level } of this.acquired.keys()) {
      if (lowest === undefined || level < lowest) lowest = level;
    }
    return lowest;
  }

  /** Releases all its locks and withdraws the pending one. Returns the semaphores that may be able to grant now. */
  releaseAll(): Semaphore[] {
    const semaphores = [...this.acquired.keys()];
    for (const semaphore of semaphores) semaphore.release(this);
    if (this.pending !== undefined) semaphores.push(this.pending.semaphore);
    this.withdraw();
    return semaphores;
  }

  /** Withdraws the pending lock. Does not serve the queue, because the caller may remove more locks first. */
  withdraw(): void {
    this.pending?.semaphore.remove(this.pending);
    this.pending = undefined;
  }

  /** Whether it holds exactly these locks. */
  holds(locks: ReadonlyMap<Semaphore, bigint>): boolean {
    if (locks.size !== this.acquired.size) return false;
    for (const [semaphore, count] of locks) {
      if (this.acquired.get(semaphore) !== count) return false;
    }
    return true;
  }
}
