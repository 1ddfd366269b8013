import type { IncomingMessage, ServerResponse } from 'node:http';
import { decodedPath, pathOf } from '@headgate/core/http';
import { admissionOf, type ConcurrencyLimit } from '@headgate/node';
import { contextOf, nodeLimit, responses } from '@headgate/test-kit/node-limit';
import type { FrameworkDriver, Step } from '@headgate/test-suite';
import { pathToRegexp } from 'path-to-regexp';

type Req = IncomingMessage;
type Res = ServerResponse;
type Listener = (req: Req, res: Res) => unknown;

/** Builds the suite's apps as chains of functions, with a small router. */
export const nodeFramework: FrameworkDriver<ConcurrencyLimit> = {
  name: 'node:http',
  can: { tracksHandlers: true, http2: true, knowsRoutes: false },

  limit: nodeLimit,

  listener({ steps, onError }) {
    const listener = chain(steps, '', (_, res) => res.writeHead(404).end());
    return async (req, res) => {
      responses.set(req, res);
      try {
        await listener(req, res);
      } catch (error) {
        onError(error);
        respondTo(error, res);
      }
    };
  },
};

/** As the error handling of frameworks does, with the status and headers that errors may have. */
export function respondTo(error: unknown, res: Res): void {
  if (res.headersSent) return void res.destroy();
  const { status = 500, headers } = error as { status?: number; headers?: Record<string, string> };
  // Not chained: some hosts replace `writeHead` with a function that returns nothing.
  res.writeHead(status, headers);
  res.end();
}

function chain(steps: readonly Step<ConcurrencyLimit>[], prefix: string, last: Listener): Listener {
  return steps.reduceRight((next, step) => stepOf(step, prefix, next), last);
}

function stepOf(step: Step<ConcurrencyLimit>, prefix: string, next: Listener): Listener {
  if ('use' in step) return step.use(next) as Listener;
  if ('mount' in step) {
    const inner = chain(step.steps, prefix + step.mount, next);
    return matching(`${prefix}${step.mount}/*rest`, () => true, inner, next);
  }
  const { path, method = 'GET', handle } = step;
  const handler: Listener = (req, res) => handle(contextOf(req, res));
  if (path === undefined) return handler;
  const routed: Listener = (req, res) => {
    const { permit } = admissionOf(res);
    // As a router does for adaptive limits.
    if (permit !== undefined) permit.kind = `${method} ${path}`;
    return handler(req, res);
  };
  const isAllowed = (actual: unknown) =>
    actual === method || (actual === 'HEAD' && method === 'GET');
  return matching(prefix + path, isAllowed, routed, next);
}

function matching(
  pattern: string,
  isAllowed: (method: unknown) => boolean,
  inside: Listener,
  outside: Listener,
): Listener {
  const { regexp } = pathToRegexp(pattern);
  return (req, res) => {
    const matches = isAllowed(req.method) && regexp.test(decodedPath(pathOf(req.url as string)));
    return (matches ? inside : outside)(req, res);
  };
}
