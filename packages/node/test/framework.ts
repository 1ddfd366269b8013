import type { IncomingMessage, ServerResponse } from 'node:http';
import { pathOf } from '@headgate/core/http';
import { admissionOf, type ConcurrencyLimit } from '@headgate/node';
import { contextOf, nodeLimit, responses } from '@headgate/test-kit/node-limit';
import { chain, type SmallRouter } from '@headgate/test-kit/small-router';
import type { FrameworkDriver } from '@headgate/test-suite';

type Req = IncomingMessage;
type Res = ServerResponse;
type Listener = (req: Req, res: Res) => unknown;

/** Builds the suite's apps as chains of functions. */
export const nodeFramework: FrameworkDriver<ConcurrencyLimit> = {
  name: 'node:http',
  can: { tracksHandlers: true, http2: true, knowsRoutes: false },

  limit: nodeLimit,

  listener({ steps, onError }) {
    const listener = chain<ConcurrencyLimit, Listener>(router, steps, (_, res) =>
      res.writeHead(404).end(),
    );
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

const router: SmallRouter<ConcurrencyLimit, Listener> = {
  around: (limit, next) => limit(next) as Listener,
  handler: (handle, kind) => (req, res) => {
    const { permit } = admissionOf(res);
    if (permit !== undefined && kind !== undefined) permit.kind = kind;
    return handle(contextOf(req, res));
  },
  either: (matches, inside, outside) => (req, res) =>
    (matches(req.method as string, pathOf(req.url as string)) ? inside : outside)(req, res),
};
