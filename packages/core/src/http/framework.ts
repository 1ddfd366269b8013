import type { Compile, Routing } from './route.ts';

/** What an adapter tells of its framework; `R` is what the app's functions get as the request. */
export interface Framework<R> {
  /** Options that only this adapter has. */
  readonly options?: readonly string[];
  method(request: R): string;
  /** The full path, whatever the mount point, decoded as the framework decodes it to find the route. */
  path(request: R): string;
  /** What the app's `classify` gets. */
  response(request: R): unknown;
  /** Method and pattern of the route that has handled it, where the framework tells; never the path, which a client makes up. */
  kind(request: R): string | undefined;
  /** To the framework's error handling, where the response is over already. */
  report(request: R, error: unknown): void;
  header(request: R, name: string): string | undefined;
  routing(request: R): Routing;
  readonly compile: Compile;
}
