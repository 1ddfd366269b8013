import type { WorkersClock } from '@headgate/core';
import type { GatedRequest } from '@headgate/core/http';

/** Maximum interval at which a queued request fires timers, and shows that it still runs, in milliseconds. */
const MAX_TICK_MS = 1000;

/** Number of intervals for which a request may be silent: the runtime may merely be busy. */
const MAX_SILENT_TICKS = 3;

interface Sign {
  /** When the request ran last. */
  at: number;
  /** Whether another request has found it silent, so that it gets one more interval. */
  isOverdue: boolean;
}

/**
 * The queued requests of an isolate. Each has a timer of its own, without which the runtime would consider it hung. The
 * runtime may end a request without a signal, and then it would keep its place in the queue, or the permit that it is
 * granted: so a request whose timer no longer fires is removed.
 */
export class QueuedRequests {
  readonly #signs = new Map<GatedRequest, Sign>();

  constructor(private readonly clock: WorkersClock) {}

  /** Fires the timers that are due, and removes requests that the runtime has ended. */
  tend(): void {
    this.clock.run();
    const now = this.clock.now();
    for (const [gated, sign] of this.#signs) {
      if (now - sign.at <= MAX_TICK_MS * MAX_SILENT_TICKS) continue;
      if (sign.isOverdue) this.#remove(gated);
      else Object.assign(sign, { at: now - MAX_TICK_MS * (MAX_SILENT_TICKS - 1), isOverdue: true });
    }
  }

  /** Tends the requests from the context of this one until it is answered. */
  add(gated: GatedRequest): void {
    const sign: Sign = { at: this.clock.now(), isOverdue: false };
    this.#signs.set(gated, sign);
    let timer: ReturnType<typeof setTimeout>;
    const tick = () => {
      Object.assign(sign, { at: this.clock.now(), isOverdue: false });
      this.tend();
      timer = setTimeout(tick, this.#untilNextTick);
    };
    timer = setTimeout(tick, this.#untilNextTick);
    void gated.answered?.then(() => {
      clearTimeout(timer);
      this.#signs.delete(gated);
    });
  }

  /** Withdraws the request, or releases the permit that it has not taken up. */
  #remove(gated: GatedRequest): void {
    this.#signs.delete(gated);
    gated.exchange.ended('complete');
  }

  get #untilNextTick(): number {
    return Math.min(Math.max(1, Math.ceil(this.clock.untilNext)), MAX_TICK_MS);
  }
}
