import type { workersClock } from '@headgate/core';
import type { GatedRequest } from '@headgate/core/http';

/** Maximum interval at which a request fires timers, and shows that it still runs, in milliseconds. */
const MAX_TICK_MS = 1000;

/** Number of intervals without a tick after which a queued request is suspected: the runtime may merely be busy. */
const MAX_MISSED_TICKS = 3;

/** What the failure detector knows of a queued request. */
interface Liveness {
  /** When the request's timer fired last. */
  lastTick: number;
  /** Whether the request may have ended. It then gets one more interval. */
  isSuspected: boolean;
}

/**
 * The requests of an isolate. Each queued request has a timer of its own, since the runtime would otherwise consider it
 * hung. The runtime may end a request without a signal. Such a request would keep its place in the queue, or the permit
 * that it is granted. Therefore a queued request is removed if its timer no longer fires.
 */
export class WorkersRequests {
  readonly #queued = new Map<GatedRequest, Liveness>();

  constructor(private readonly clock: typeof workersClock) {}

  /** Fires the timers that are due, and removes queued requests that the runtime has ended. */
  sweep(): void {
    this.clock.run();
    const now = this.clock.now();
    for (const [gated, liveness] of this.#queued) {
      if (now - liveness.lastTick <= MAX_TICK_MS * MAX_MISSED_TICKS) continue;
      if (liveness.isSuspected) this.#remove(gated);
      else {
        // A runtime that was merely busy fires the request's overdue timer within the next interval.
        liveness.lastTick = now - MAX_TICK_MS * (MAX_MISSED_TICKS - 1);
        liveness.isSuspected = true;
      }
    }
  }

  /** Fires timers from the context of this request until it is answered. */
  queued(gated: GatedRequest): void {
    const liveness: Liveness = { lastTick: this.clock.now(), isSuspected: false };
    this.#queued.set(gated, liveness);
    const stop = this.#repeat(() => {
      liveness.lastTick = this.clock.now();
      liveness.isSuspected = false;
      return true;
    });
    void gated.answered?.then(() => {
      stop();
      this.#queued.delete(gated);
    });
  }

  /** Fires timers from the context of this request until its permit is released, so that its lease is renewed. */
  admitted({ permit }: GatedRequest): void {
    if (permit !== undefined) this.#repeat(() => !permit.released);
  }

  /** Sweeps until `goesOn` returns false. Returns a function that stops this. */
  #repeat(goesOn: () => boolean): () => void {
    let timer: ReturnType<typeof setTimeout>;
    const start = () => {
      const next = Math.max(1, Math.ceil(this.clock.untilNext));
      timer = setTimeout(tick, Math.min(next, MAX_TICK_MS));
    };
    const tick = () => {
      if (!goesOn()) return;
      this.sweep();
      start();
    };
    start();
    return () => clearTimeout(timer);
  }

  /** Withdraws the request, or releases the permit that it has not taken up. */
  #remove(gated: GatedRequest): void {
    this.#queued.delete(gated);
    gated.exchange.ended('complete');
  }
}
