import { HeadgateError, workersClock } from '@headgate/core';
import type { GatedRequest } from '@headgate/core/http';
import type { Context } from 'hono';

/**
 * Without `waitUntil`, the runtime would cancel the work of a disconnected client, which would then never release
 * its permit.
 */
export function waitUntil(c: Context, work: Promise<unknown>): void {
  keepAlive(c.executionCtx, work);
}

function keepAlive(context: Context['executionCtx'], work: Promise<unknown>): void {
  context.waitUntil(work.catch(() => {}));
}

/**
 * Passes work that the handler gives to its permit to the runtime's `waitUntil`, too. It may settle after the response.
 */
export function forwardWaitUntil(c: Context, { permit }: GatedRequest): void {
  if (permit === undefined) return;
  const { waitUntil: holdUntil } = permit;
  // The closure must not keep the context, since the permit must not refer to the response.
  const { executionCtx } = c;
  permit.waitUntil = (work) => {
    // It is converted only once, since a thenable may start its work on every `then`.
    const promise = Promise.resolve(work);
    holdUntil.call(permit, promise);
    keepAlive(executionCtx, promise);
  };
}

/**
 * @throws HeadgateError for a request without an execution context. If its client disconnected, its permit would never
 * be released.
 */
export function checkContext(c: Context): void {
  if (!hasContext(c))
    throw refusal('call app.fetch(request, env, ctx), with the context of the handler');
}

/** Hono throws an error of its own if the context is missing. */
function hasContext(c: Context): boolean {
  try {
    return c.executionCtx !== undefined;
  } catch {
    return false;
  }
}

interface CheckedOptions {
  readonly maxHold?: number | undefined;
  readonly limiter?: unknown;
  readonly store?: object | undefined;
  readonly limits?: readonly CheckedOptions[] | undefined;
}

/** The globals of Cloudflare Workers that are used. */
interface WorkersScope {
  readonly Cloudflare?: { readonly compatibilityFlags?: Readonly<Record<string, boolean>> };
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
    if (store !== undefined && !isForWorkers(store)) {
      throw refusal(
        'set store to durableObjectStore(), since the connection of another one dies with a request',
        'store',
      );
    }
  }
}

/**
 * Marks a store whose timers any request may fire, and which uses connections only within the request that has opened
 * them.
 */
function isForWorkers(store: object): boolean {
  return (store as { readonly clock?: unknown }).clock === workersClock;
}

function refusal(remedy: string, option?: string): HeadgateError {
  const message = `on Cloudflare Workers permits would leak: ${remedy}`;
  return new HeadgateError('ERR_HEADGATE_RUNTIME', message, option);
}
