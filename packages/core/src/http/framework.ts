import type { Rejection } from '../semaphore/rejection.ts';
import type { GatedRequest } from './gated-request.ts';
import type { Compile, Routing } from './route.ts';

/** What an adapter provides about its framework. `R` is the request type that the framework passes to the app. */
export interface Framework<R> {
  /** The method of a request, in capital letters. */
  method(request: R): string;
  /** The full path, including the mount point, decoded as the framework decodes it for routing. */
  path(request: R): string;
  /**
   * Identifies the matched route, if the framework exposes it: its full path pattern, or the result of `routeKind`. It
   * must not contain the path itself, since clients choose that.
   */
  kind(request: R): string | undefined;
  /** Passes an error to the framework's error handling after the response has begun or ended. */
  report(request: R, error: unknown): void;
  /** A header field of a request, by its name in lower case; undefined if the request does not have it. */
  header(request: R, name: string): string | undefined;
  /** The address of the connection, which may be a proxy's. Default: unknown. */
  address?(request: R): string | undefined;
  /** Whether the app trusts any number of proxies. Clients can then choose their address. Default: false. */
  trustsAnyProxy?(request: R): boolean;
  /** How the router of a request matches paths. */
  routing(request: R): Routing;
  /** Compiles the path pattern of a `route`. */
  readonly compile: Compile;
}

/**
 * The thrown value. Null and undefined are replaced by an Error, since frameworks would treat them as success or send
 * no response.
 */
export function reasonOf(thrown: unknown): unknown {
  return thrown ?? new Error('failed without a reason');
}

/**
 * Responds to a rejected request in a framework with promises. Uses the app's `onReject`; if there is none, or it
 * returns `false`, uses `respond`.
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
