import type { Compile, Routing } from './route.ts';

/** What an adapter provides about its framework; `R` is the type of the request that the app's functions receive. */
export interface Framework<R> {
  /** Names of the options that only this adapter supports. */
  readonly options?: readonly string[];
  method(request: R): string;
  /** The full path, including the mount point, decoded as the framework decodes it for routing. */
  path(request: R): string;
  /** The argument of the app's `classify`. */
  response(request: R): unknown;
  /** Method and pattern of the matched route, if the framework exposes it; never the path, which clients choose. */
  kind(request: R): string | undefined;
  /** Passes an error to the framework's error handling after the response has ended. */
  report(request: R, error: unknown): void;
  header(request: R, name: string): string | undefined;
  routing(request: R): Routing;
  readonly compile: Compile;
}
