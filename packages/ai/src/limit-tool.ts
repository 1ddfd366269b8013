import type {
  Gate,
  Limiter,
  Permit,
  RejectedError,
  Rejection,
  RejectionReason,
} from '@headgate/core';
import { sentence } from '@headgate/core/http';
import { invalid } from '@headgate/core/options';
import { dataOf } from './json-rpc.ts';
import { acquireWith, type CallOptions } from './tool-options.ts';
import { requestOf, type ToolRequest } from './tool-request.ts';

/**
 * The result of a rejected call. `McpServer` turns every error that a tool throws into a result that has only the
 * error's message, so a JSON-RPC error with `data` would not reach the client. This result does: the text is for the
 * model, and `_meta` for programs. Not `structuredContent`, which clients compare with the tool's output schema.
 *
 * Not exported, and of exported types only, so that TypeScript can write it into the declarations of an application.
 */
type RejectedCall = {
  content: { type: 'text'; text: string }[];
  isError: true;
  _meta: { 'headgate/rejection': { reason: RejectionReason; retryAfter: number } };
};

/** The same type, from which TypeScript infers nothing. `NoInfer` needs TypeScript 5.4. */
type Deferred<T> = [T][T extends unknown ? 0 : never];

/**
 * Limits a tool of an MCP server: returns a handler for `registerTool` of `@modelcontextprotocol/sdk` or
 * `@modelcontextprotocol/server`. A call acquires a permit, runs `handler`, and holds the permit until `handler` has
 * settled. The signal that `handler` receives also aborts when the permit's signal does (`maxHold`, a lost lease,
 * `close`).
 *
 * A call that is cancelled while it is queued leaves the queue. A call with a progress token that has to wait, for a
 * permit or for the store of a distributed limit, sends one progress notification, with progress 0.
 *
 * A rejected call resolves to a result with `isError`, a text for the model, and `_meta['headgate/rejection']` with the
 * `reason` and `retryAfter` in seconds.
 *
 * @param limit A limiter of `createLimiter()` or a gate of `createGate()`.
 * @param handler As the SDK calls it: with `(args, extra)`, or with `(extra)` if the tool has no input schema. In that
 *   case, TypeScript needs the type of a declared `extra`.
 * @throws HeadgateError for an argument or an option that is not allowed, for a keyed limit without `key`, and for a
 *   `key` without a keyed limit.
 */
// The first overload takes `Args` from what `registerTool` expects: `handler` may declare fewer arguments than `key`.
export function limitTool<Args extends readonly unknown[], Result>(
  limit: Limiter | Gate,
  handler: (...args: Deferred<Args>) => Result | PromiseLike<Result>,
  options?: CallOptions<Deferred<Args>>,
): (...args: Args) => Promise<Result | RejectedCall>;
export function limitTool<Args extends readonly unknown[], Result>(
  limit: Limiter | Gate,
  handler: (...args: Args) => Result | PromiseLike<Result>,
  options?: CallOptions<Args>,
): (...args: Args) => Promise<Result | RejectedCall>;
export function limitTool<Args extends readonly unknown[], Result>(
  limit: Limiter | Gate,
  handler: (...args: Args) => Result | PromiseLike<Result>,
  options: CallOptions<Args> = {},
): (...args: Args) => Promise<Result | RejectedCall> {
  const acquire = acquireWith(limit, options);
  if (typeof handler !== 'function') throw invalid('handler', 'a function', handler);
  return async (...args) => {
    const request = requestOf(args.at(-1));
    let permit: Permit;
    try {
      permit = await announced(acquire(args, request.signal), request, limit);
    } catch (error) {
      const { rejection } = (error ?? {}) as Partial<RejectedError>;
      if (rejection === undefined) throw error;
      return rejectedCall(rejection);
    }
    try {
      return await handler(...withPermit(args, request, permit));
    } finally {
      permit.release();
    }
  };
}

/** Sends a progress notification if the permit is not granted immediately. */
async function announced(
  permit: Promise<Permit>,
  request: ToolRequest,
  limit: Limiter | Gate,
): Promise<Permit> {
  const { progressToken } = request;
  if (progressToken === undefined) return permit;
  let outcome: 'granted' | 'rejected' | undefined;
  permit.then(
    () => {
      outcome = 'granted';
    },
    () => {
      outcome = 'rejected';
    },
  );
  // The promise of a call that is admitted at once has settled, so its outcome is known before this continues.
  await undefined;
  if (outcome === 'granted') return permit;
  // A call that is rejected at once is rejected in the next iteration of the event loop, and so is this aborted call,
  // after it. So this shows whether the first call still waits.
  await limit.acquire({ signal: AbortSignal.abort() }).catch(() => {});
  if (outcome !== 'rejected') {
    const params = { progressToken, progress: 0, message: 'Waiting to be admitted' };
    request.notify({ method: 'notifications/progress', params });
  }
  return permit;
}

/** The arguments of the handler, whose signal also aborts when that of the permit does. */
function withPermit<Args extends readonly unknown[]>(
  args: Args,
  request: ToolRequest,
  permit: Permit,
): Args {
  const signal = AbortSignal.any([request.signal, permit.signal]);
  return [...args.slice(0, -1), request.withSignal(signal)] as unknown as Args;
}

function rejectedCall(rejection: Rejection): RejectedCall {
  return {
    content: [{ type: 'text', text: sentence(rejection) }],
    isError: true,
    _meta: { 'headgate/rejection': dataOf(rejection) },
  };
}
