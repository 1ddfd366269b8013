import { type Clock, HeadgateError } from '@headgate/core';
import type { GatedRequest } from '@headgate/core/http';
import type { Context } from 'hono';

interface Timer {
  readonly at: number;
  readonly callback: () => void;
}

/** The globals of Cloudflare Workers that are used. */
interface WorkersScope {
  readonly navigator?: { readonly userAgent?: string };
  readonly Cloudflare?: { readonly compatibilityFlags?: Readonly<Record<string, boolean>> };
}

/** Maximum interval at which a queued request checks the timers of other requests, in milliseconds. */
const MAX_TICK_MS = 1000;

export function onWorkers(): boolean {
  return (globalThis as WorkersScope).navigator?.userAgent === 'Cloudflare-Workers';
}

/**
 * A clock for Workers, where a timer belongs to the request that set it and dies with it. Timers are only recorded
 * here; each request that arrives or is queued fires those that are due. A queued request also has a timer of its
 * own, without which the runtime would consider it hung.
 */
export class WorkersClock implements Clock {
  readonly #timers = new Set<Timer>();

  now(): number {
    return performance.now();
  }

  setTimeout(callback: () => void, delay: number): Timer {
    const timer = { at: this.now() + delay, callback };
    this.#timers.add(timer);
    return timer;
  }

  clearTimeout(timer: unknown): void {
    this.#timers.delete(timer as Timer);
  }

  /** Fires the timers that are due. */
  run(): void {
    const now = this.now();
    for (const timer of [...this.#timers].sort((a, b) => a.at - b.at)) {
      if (timer.at > now) return;
      if (this.#timers.delete(timer)) timer.callback();
    }
  }

  /** Keeps a queued request alive, and fires the timers of all requests meanwhile. */
  keepAlive({ answered }: GatedRequest, c: Context, concluded: Promise<unknown>): void {
    this.keep(c, concluded);
    let timer: ReturnType<typeof setTimeout>;
    const tick = () => {
      this.run();
      timer = setTimeout(tick, this.#untilNext());
    };
    timer = setTimeout(tick, this.#untilNext());
    void answered?.then(() => clearTimeout(timer));
  }

  /**
   * Without `waitUntil`, the runtime would cancel the work of a disconnected client, which would then never release
   * its permit.
   */
  keep(c: Context, work: Promise<unknown>): void {
    c.executionCtx.waitUntil(work.catch(() => {}));
  }

  #untilNext(): number {
    const next = Math.min(...[...this.#timers].map(({ at }) => at));
    return Math.min(Math.max(1, Math.ceil(next - this.now())), MAX_TICK_MS);
  }
}

interface CheckedOptions {
  readonly maxHold?: number | undefined;
  readonly limiter?: unknown;
  readonly store?: unknown;
  readonly limits?: readonly CheckedOptions[] | undefined;
}

/** @throws HeadgateError for options that would leak permits on Workers. */
export function checkWorkers(options: CheckedOptions): void {
  const flags = (globalThis as WorkersScope).Cloudflare?.compatibilityFlags;
  if (flags?.enable_request_signal !== true) {
    throw refusal('add "enable_request_signal" to compatibility_flags in the configuration');
  }
  if (!Number.isFinite(options.maxHold)) {
    throw refusal(
      'set maxHold: the runtime may silently end a handler whose client has disconnected',
      'maxHold',
    );
  }
  for (const { limiter, store } of [options, ...(options.limits ?? [])]) {
    if (limiter !== undefined) {
      throw refusal('set limit instead of limiter, whose timers die with a request', 'limiter');
    }
    if (store !== undefined) {
      throw refusal('omit store, whose connection dies with a request', 'store');
    }
  }
}

function refusal(remedy: string, option?: string): HeadgateError {
  const message = `on Cloudflare Workers permits would leak: ${remedy}`;
  return new HeadgateError('ERR_HEADGATE_RUNTIME', message, option);
}
