import { type Clock, HeadgateError } from '@headgate/core';
import type { Visit } from '@headgate/core/http';
import type { Context } from 'hono';

interface Timer {
  readonly at: number;
  readonly callback: () => void;
}

/** What Cloudflare Workers have in the global scope. */
interface WorkersScope {
  readonly navigator?: { readonly userAgent?: string };
  readonly Cloudflare?: { readonly compatibilityFlags?: Readonly<Record<string, boolean>> };
}

/** The longest that a waiting request leaves timers of others unattended, in milliseconds. */
const MAX_TICK_MS = 1000;

export function onWorkers(): boolean {
  return (globalThis as WorkersScope).navigator?.userAgent === 'Cloudflare-Workers';
}

/**
 * Timers on Workers, where a timer belongs to the request that has set it, and dies with that. Here they are only noted, and
 * each request that arrives or waits fires those that are due. A request that waits has a timer of its own, without which the
 * runtime would take it for hung.
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

  /** Fires what is due. */
  run(): void {
    const now = this.now();
    for (const timer of [...this.#timers].sort((a, b) => a.at - b.at)) {
      if (timer.at > now) return;
      if (this.#timers.delete(timer)) timer.callback();
    }
  }

  /** Keeps a request alive that waits, and its timers, too. */
  attend({ answered }: Visit, c: Context, concluded: Promise<unknown>): void {
    this.keep(c, concluded);
    let timer: ReturnType<typeof setTimeout>;
    const tick = () => {
      this.run();
      timer = setTimeout(tick, this.#untilNext());
    };
    timer = setTimeout(tick, this.#untilNext());
    void answered?.then(() => clearTimeout(timer));
  }

  /** The runtime would end the work for a client that has left, and the work would never release its permit. */
  keep(c: Context, work: Promise<unknown>): void {
    c.executionCtx.waitUntil(work.catch(() => {}));
  }

  #untilNext(): number {
    const next = Math.min(...[...this.#timers].map(({ at }) => at));
    return Math.min(Math.max(1, Math.ceil(next - this.now())), MAX_TICK_MS);
  }
}

interface Risky {
  readonly maxHold?: number | undefined;
  readonly limiter?: unknown;
  readonly store?: unknown;
  readonly limits?: readonly Risky[] | undefined;
}

/** @throws HeadgateError for what would lose permits on Workers for good. */
export function checkWorkers(options: Risky): void {
  const flags = (globalThis as WorkersScope).Cloudflare?.compatibilityFlags;
  if (flags?.enable_request_signal !== true) {
    throw refusal('add "enable_request_signal" to compatibility_flags in the configuration');
  }
  if (!Number.isFinite(options.maxHold)) {
    throw refusal(
      'set maxHold: the runtime may end a handler whose client has left without a word',
      'maxHold',
    );
  }
  for (const { limiter, store } of [options, ...(options.limits ?? [])]) {
    if (limiter !== undefined) {
      throw refusal('write limit in place of limiter, whose timers die with a request', 'limiter');
    }
    if (store !== undefined) {
      throw refusal('leave store out, whose connection dies with a request', 'store');
    }
  }
}

function refusal(remedy: string, option?: string): HeadgateError {
  const message = `on Cloudflare Workers permits would be lost: ${remedy}`;
  return new HeadgateError('ERR_HEADGATE_RUNTIME', message, option);
}
