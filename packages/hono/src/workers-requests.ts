import type { WorkersClock } from '@headgate/core';
import type { GatedRequest } from '@headgate/core/http';

/** Maximum interval at which a request fires timers, and shows that it still runs, in milliseconds. */
const MAX_TICK_MS = 1000;

/** Number of intervals for which a queued request may be silent: the runtime may merely be busy. */
const MAX_SILENT_TICKS = 3;

interface Sign {
  /** When the request ran last. */
  at: number;
  /** Whether another request has found it silent, so that it gets one more interval. */
  isOverdue: boolean;
}

/**
 * The requests of an isolate. Each queued one has a timer of its own, without which the runtime would consider it hung.
 * The runtime may end a request without a signal, and then it would keep its place in the queue, or the permit that it
 * is granted: so a queued request whose timer no longer fires is removed.
 */
export class WorkersRequests {
  readonly #signs = new Map<GatedRequest, Sign>();

  constructor(private readonly clock: WorkersClock) {}

  /** Fires the timers that are due, and removes queued requests that the runtime has ended. */
  tend(): void {
    this.clock.run();
    const now = this.clock.now();
    for (const [gated, sign] of this.#signs) {
      if (now - sign.at <= MAX_TICK_MS * MAX_SILENT_TICKS) continue;
      if (sign.isOverdue) this.#remove(gated);
      else Object.assign(sign, { at: now - MAX_TICK_MS * (MAX_SILENT_TICKS - 1), isOverdue: true });
    }
  }

  /** Fires timers from the context of this request until it is answered. */
  queued(gated: GatedRequest): void {
    const sign: Sign = { at: this.clock.now(), isOverdue: false };
    this.#signs.set(gated, sign);
    const stop = this.#repeat(() => {
      Object.assign(sign, { at: this.clock.now(), isOverdue: false });
      return true;
    });
    void gated.answered?.then(() => {
      stop();
      this.#signs.delete(gated);
    });
  }

  /** Fires timers from the context of this request until its permit is released: those that renew its lease. */
  admitted({ permit }: GatedRequest): void {
    if (permit !== undefined) this.#repeat(() => !permit.released);
  }

  /** Tends the requests until `goesOn` returns false. Returns a function that stops this. */
  #repeat(goesOn: () => boolean): () => void {
    let timer: ReturnType<typeof setTimeout>;
    const start = () => {
      const next = Math.max(1, Math.ceil(this.clock.untilNext));
      timer = setTimeout(tick, Math.min(next, MAX_TICK_MS));
    };
    const tick = () => {
      if (!goesOn()) return;
      this.tend();
      start();
    };
    start();
    return () => clearTimeout(timer);
  }

  /** Withdraws the request, or releases the permit that it has not taken up. */
  #remove(gated: GatedRequest): void {
    this.#signs.delete(gated);
    gated.exchange.ended('complete');
  }
}
