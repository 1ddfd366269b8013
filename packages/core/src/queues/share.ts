import type { Queue, QueueContext } from '../semaphore/queue.ts';
import type { Waiter } from '../semaphore/waiter.ts';

/** Tolerance for rounding errors of parts: 0.07 × 100 is slightly more than 7. */
export const ROUNDING_TOLERANCE = 1e-9;

/** How far a share may fall behind its part and still catch up later, in weight, as a multiple of the limit. */
const MAX_CREDIT_LIMITS = 2;

/**
 * A guaranteed part of a limit. A share has free guaranteed capacity while its weight in flight is below its part. A
 * waiter heavier than the part may use more; afterwards, the share is not served until it has repaid the excess.
 */
export class Share {
  /** Weight in flight. */
  held = 0;
  /**
   * A next waiter that is heavier than the share's part may be granted once the limit has admitted this total weight.
   * So on average, the share gets its part of all admitted weight, as in start-time fair queueing.
   */
  #due = 0;

  constructor(
    readonly queue: Queue,
    /** Fraction of the limit; 0 for waiters without a share. */
    readonly part: number,
    private readonly context: QueueContext,
  ) {}

  get next(): Waiter | undefined {
    return this.queue.next;
  }

  /**
   * How much the limit releases until the share's waiters and this additional weight are served, if others use their parts
   * too.
   */
  turns(more = 0): number {
    return (this.queue.weight + more) / this.part;
  }

  /** Whether the next waiter fits in the part, rounded up, or is heavier than the part but due. */
  hasGuaranteedRoom(admitted: number): boolean {
    const { next, held } = this;
    if (next === undefined || held >= this.#size) return false;
    if (this.isTooHeavy(next)) return held === 0 && admitted >= this.#due;
    return held + next.weight <= Math.ceil(this.#size);
  }

  /** Whether the share holds nothing, and its next waiter is heavier than the part and not due yet. */
  isRepaying(admitted: number): boolean {
    const { next, held, part } = this;
    return (
      next !== undefined && part > 0 && held === 0 && this.isTooHeavy(next) && admitted < this.#due
    );
  }

  /** Whether the waiter alone exceeds the part. */
  isTooHeavy({ weight }: Waiter): boolean {
    return weight > Math.ceil(this.#size);
  }

  /** Called before a waiter is enqueued. A share without waiters accumulates no credit. */
  insert(admitted: number): void {
    if (this.queue.length === 0 && this.held === 0) this.#due = Math.max(this.#due, admitted);
  }

  /** Called after a waiter has been granted. */
  recordGrant(waiter: Waiter, admitted: number): void {
    if (this.part === 0 || !this.isTooHeavy(waiter)) return;
    const { part, context } = this;
    const earliest = admitted - (MAX_CREDIT_LIMITS * context.limit) / part;
    this.#due = Math.min(Math.max(this.#due, earliest), admitted) + waiter.weight / part;
  }

  get #size(): number {
    return this.part * this.context.limit - ROUNDING_TOLERANCE;
  }
}
