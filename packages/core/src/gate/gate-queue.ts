import type { GateableLimiter } from '../limiter/limiter.ts';
import type { Counters } from '../semaphore/counters.ts';
import { Deadlines, waitersOf } from '../semaphore/deadlines.ts';
import { announce, type Waiter } from '../semaphore/waiter.ts';
import type { GateSettings } from './gate.ts';
import { GateWaiter, type WaiterQueue } from './gate-waiter.ts';

/** The waiters of a gate, whichever of its limits they wait for. They have a common queue limit and one deadline each. */
export class GateQueue implements WaiterQueue {
  /** Tracks every waiter, including those without a deadline. */
  readonly #deadlines: Deadlines;
  /** Number of waiters that are waiting for a store's answer and do not count as queued yet. */
  #awaitingStore = 0;

  constructor(
    private readonly settings: GateSettings,
    private readonly counters: Counters,
  ) {
    this.#deadlines = new Deadlines(settings.clock, (late) =>
      (late as GateWaiter).rejectAtLimit('timeout'),
    );
  }

  get length(): number {
    return this.#deadlines.size - this.#awaitingStore;
  }

  get isFull(): boolean {
    return this.length >= this.settings.queueLimit;
  }

  /** A copy. */
  get waiters(): GateWaiter[] {
    return waitersOf(this.#deadlines) as GateWaiter[];
  }

  /** The gate's waiter of a request that waits here. */
  find({ queuedAt }: Waiter): GateWaiter | undefined {
    return queuedAt instanceof GateWaiter && this.#contains(queuedAt) ? queuedAt : undefined;
  }

  /** A late timer must not keep expired waiters in a full queue. */
  rejectExpired(): void {
    if (this.length > 0 && this.isFull) this.#deadlines.sweep();
  }

  add(gateWaiter: GateWaiter): boolean {
    const { waiter, limiter, queueTimeout } = gateWaiter;
    const awaitsStore = limiter?.isDistributed === true;
    if (!awaitsStore && this.isFull) {
      gateWaiter.displaced = this.#displacedBy(gateWaiter);
      if (gateWaiter.displaced === undefined) return false;
    }
    if (!waiter.joins()) return false;
    this.#deadlines.start(gateWaiter, queueTimeout);
    gateWaiter.arrivalNumber = gateWaiter.arrival;
    waiter.arrival = gateWaiter.arrival;
    waiter.queuedAt = gateWaiter;
    if (!awaitsStore) return true;
    gateWaiter.awaitsStore = true;
    this.#awaitingStore++;
    return true;
  }

  inserted(gateWaiter: GateWaiter): void {
    const { waiter, displaced, isAnnounced, limiter } = gateWaiter;
    const isWaiting = () => waiter.queuedAt === gateWaiter;
    gateWaiter.isAnnounced = true;
    if (displaced !== undefined) {
      gateWaiter.displaced = undefined;
      displaced.rejectAtLimit('full');
    }
    if (!isAnnounced && isWaiting()) announce(waiter);
    if (!isWaiting()) return;
    if (limiter?.isDistributed) {
      if (!isAnnounced) this.counters.asked(waiter);
    } else if (!isAnnounced || gateWaiter.awaitsStore) this.#countAsQueued(gateWaiter);
  }

  answered(gateWaiter: GateWaiter): boolean {
    this.rejectExpired();
    if (this.isFull) return false;
    this.#countAsQueued(gateWaiter);
    return true;
  }

  remove(gateWaiter: GateWaiter): void {
    const { waiter } = gateWaiter;
    // The caller may have enqueued the same waiter again.
    if (waiter.queuedAt === gateWaiter) waiter.queuedAt = undefined;
    this.#stopAwaitingStore(gateWaiter);
    this.#deadlines.remove(gateWaiter);
  }

  #contains({ timeoutBucket }: Waiter): boolean {
    return timeoutBucket?.deadlines === this.#deadlines;
  }

  /**
   * The waiter that the new one would displace at its current limit. Only called for a limit that is counted in this
   * process.
   */
  #displacedBy(gateWaiter: GateWaiter): GateWaiter | undefined {
    const displaced = (gateWaiter.limiter as GateableLimiter).displacedBy(gateWaiter);
    return displaced && this.#contains(displaced) ? (displaced as GateWaiter) : undefined;
  }

  #countAsQueued(gateWaiter: GateWaiter): void {
    this.#stopAwaitingStore(gateWaiter);
    this.counters.queued(gateWaiter.waiter, gateWaiter.weight, this.length);
  }

  #stopAwaitingStore(gateWaiter: GateWaiter): void {
    if (!gateWaiter.awaitsStore) return;
    gateWaiter.awaitsStore = false;
    this.#awaitingStore--;
  }
}
