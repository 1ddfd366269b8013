import type { RequestListener } from 'node:http';
import type { AddressInfo, Server } from 'node:net';
import type { LimitFactory, Priority } from '@headgate/core';
import type { HttpHandle } from '@headgate/core/http';

/** Puts a limit of `@headgate/node` in front of an app. */
export type InFront = (app: RequestListener) => (...args: Parameters<RequestListener>) => unknown;

/** What an app of a framework consists of. `Middleware` is the framework's own kind. */
export interface App<Middleware> {
  /** What the route `/` responds with as JSON, or a promise of it. */
  readonly handle: () => unknown;
  /** Runs before the route. */
  readonly middleware?: Middleware | undefined;
  readonly inFront?: InFront | undefined;
}

export interface LimitOptions<Request> {
  readonly limit?: number | LimitFactory | undefined;
  readonly queueLimit?: number | undefined;
  readonly queueTimeout?: number | undefined;
  readonly priority?: (request: Request) => Priority;
}

export interface Limited<Middleware> {
  readonly middleware: Middleware;
  readonly handle: HttpHandle;
}

/** A framework whose servers are measured. */
export interface Host<Middleware = unknown, Request = unknown> {
  /** Starts a server, and resolves to its port. Requests to `holdPath` are never answered. */
  listen(app: App<Middleware>): Promise<number>;
  /** The limit of Headgate's adapter. Loads it only now, so that it costs no other server anything. */
  limit(options: LimitOptions<Request>): Promise<Limited<Middleware>>;
  header(request: Request, name: string): string | undefined;
  /** The cheapest response with 503: no body, and one header field. */
  readonly refuse: Middleware;
}

/** Requests to this path are never answered. */
export const holdPath = '/hold';

/** Without a limit in front. */
export const asItIs: InFront = (app) => app;

export async function portOf(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  return (server.address() as AddressInfo).port;
}
