import type { Handle } from '@headgate/core';
import { checkNames, invalid } from '@headgate/core/options';
import type { OperatorBounds } from './bounds.ts';

/** What a request may do. `view`: see the page. `operate`: also change limits. `false`: nothing. */
export type Access = 'view' | 'operate' | false;

/** A method, so that its parameter may have the application's own type: `(req: AuthRequest) => …`. */
type Authorize<R> = { call(request: R): Access | Promise<Access> }['call'];

/** Options of `dashboard`. */
export interface DashboardOptions<R> {
  /**
   * The limits to show, in this order. A function is called each second, for limits that are created and closed at run
   * time.
   */
  limits: readonly Handle[] | (() => readonly Handle[]);
  /**
   * Decides what a request may do. It may return a promise. If it throws, the error reaches the framework's error
   * handling. Default: requests with the token that the process prints may view; all others get 403.
   */
  authorize?: Authorize<R> | undefined;
  /**
   * The range in which operators may set each limit, by its name: `{ api: { min: 20, max: 200 } }`. The app itself may
   * set other values. Default: any whole number from 1.
   */
  bounds?: Readonly<Record<string, OperatorBounds>> | undefined;
}

/** The members that every dashboard has, in addition to being a middleware. */
export interface DashboardHandle {
  /**
   * Ends the history and the streams of all open pages, which would otherwise keep a server from closing, and reverts
   * temporary changes. Later requests for data and operations get 503.
   */
  close(): void;
}

const known = [
  'limits',
  'authorize',
  'bounds',
] as const satisfies readonly (keyof DashboardOptions<never>)[];

/** @throws HeadgateError for an unknown or invalid option. */
export function checkOptions<R>(
  options: DashboardOptions<R>,
  others: readonly string[] = [],
): () => readonly Handle[] {
  checkNames('dashboard', options, [...known, ...others]);
  const { limits, authorize } = options;
  if (authorize !== undefined && typeof authorize !== 'function') {
    throw invalid('authorize', 'a function', authorize);
  }
  if (typeof limits === 'function') return () => checkSources(limits());
  const sources = [...checkSources(limits)];
  return () => sources;
}

function checkSources(sources: readonly Handle[]): readonly Handle[] {
  if (!Array.isArray(sources)) throw invalid('limits', 'an array, or a function', sources);
  for (const [index, source] of sources.entries()) {
    // A store has statistics as well, but no limit to show.
    if (typeof source?.stats === 'function' && source.limiters) continue;
    throw invalid(`limits[${index}]`, 'a middleware, a gate or a limiter', source);
  }
  return sources;
}
