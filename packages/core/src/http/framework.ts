import type { Rejection } from '../semaphore/rejection.ts';
import type { GatedRequest } from './gated-request.ts';
import type { Compile, Routing } from './route.ts';

/** What an adapter provides about its framework; `R` is the type of the request that the app's functions receive. */
export interface Framework<R> {
  method(request: R): string;
  /** The full path, including the mount point, decoded as the framework decodes it for routing. */
  path(request: R): string;
  /**
   * Identifies the matched route, if the framework exposes it: by the full pattern of its path, or by `routeKind`. Never
   * contains the path, which clients choose.
   */
  kind(request: R): string | undefined;
  /** Passes an error to the framework's error handling after the response has begun or ended. */
  report(request: R, error: unknown): void;
  header(request: R, name: string): string | undefined;
  /** The address of the connection, be it of a proxy. Default: not known. */
  address?(request: R): string | undefined;
  routing(request: R): Routing;
  readonly compile: Compile;
}

/**
 * The thrown value, replaced by an Error if it is null or undefined: frameworks would take that for success or send
 * no response.
 */
export function reasonOf(thrown: unknown): unknown {
  return thrown ?? new Error('failed without a reason');
}

/**
 * For frameworks with promises: responds to a rejected request with the app's `onReject`, or with `respond` if there is
 * none or it returns `false`.
 */
export function rejectionHandler<Args extends readonly unknown[], Result>(
  onReject: ((rejection: Rejection, ...args: Args) => unknown) | undefined,
  respond: (gated: GatedRequest, ...args: Args) => Result,
) {
  return async (gated: GatedRequest, ...args: Args): Promise<Result> => {
    try {
      const { rejection } = gated as { rejection: Rejection };
      const result = onReject !== undefined && (await onReject(rejection, ...args));
      if (result !== false) return result as Result;
    } catch (error) {
      throw reasonOf(error);
    }
    return respond(gated, ...args);
  };
}
