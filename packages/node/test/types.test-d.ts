import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createSecureServer, type Http2ServerRequest, type Http2ServerResponse } from 'node:http2';
import type { GateStats, Rejection } from '@headgate/core';
import { type Admission, admissionOf, concurrencyLimit, timeLeft } from '@headgate/node';
import { expectTypeOf } from 'vitest';

const limit = concurrencyLimit({
  limit: 1,
  key: (req) => {
    expectTypeOf(req).toEqualTypeOf<IncomingMessage>();
    return req.socket.remoteAddress;
  },
  skip: (req) => req.url === '/health',
  onReject: (rejection, _req, res, next) => {
    expectTypeOf(rejection).toEqualTypeOf<Rejection>();
    expectTypeOf(res).toEqualTypeOf<ServerResponse>();
    return next();
  },
});

expectTypeOf(limit.stats()).toExtend<GateStats>();

createServer(
  limit((req, res) => {
    expectTypeOf(req).toEqualTypeOf<IncomingMessage>();
    expectTypeOf(res).toEqualTypeOf<ServerResponse>();
    expectTypeOf(admissionOf(res)).toEqualTypeOf<Admission>();
    res.end();
  }),
);

// A handler written for any server.
const handler = async (_req: IncomingMessage, res: ServerResponse) => void res.end();
createServer(limit(handler));

createSecureServer(
  concurrencyLimit<Http2ServerRequest>({ limit: 1, key: (req) => req.authority })((req, res) => {
    expectTypeOf(req).toEqualTypeOf<Http2ServerRequest>();
    expectTypeOf(res).toEqualTypeOf<Http2ServerResponse>();
    expectTypeOf(admissionOf(res)).toEqualTypeOf<Admission>();
    res.stream.respond();
  }),
);

concurrencyLimit({
  limit: 1,
  queueTimeout: (req) => {
    expectTypeOf(req).toEqualTypeOf<IncomingMessage>();
    return req.url === '/export' ? 30_000 : undefined;
  },
});
concurrencyLimit({ queueTimeout: timeLeft({ max: 10_000 }) });

// The app's own types.
interface AuthMessage extends IncomingMessage {
  user: { id: number; isPaid: boolean };
}
createServer(
  concurrencyLimit({
    limit: 1,
    key: (req: AuthMessage) => req.user.id,
    queueTimeout: (req: AuthMessage) => (req.user.isPaid ? 5000 : undefined),
    skip: (req: AuthMessage) => req.user.isPaid,
    onReject: (_, req: AuthMessage, res) => res.end(`${req.user.id}`),
  })(handler),
);
// @ts-expect-error: a request is no string
concurrencyLimit({ limit: 1, key: (req: string) => req });

// @ts-expect-error: a handler gets what `node:http` passes, and nothing else
createServer(limit((_req, _res, _admission) => {}));
// @ts-expect-error: misspelt
concurrencyLimit({ limit: 1, queuLimit: 1 });
// @ts-expect-error: a limit takes the handler, not a request
createServer(limit);
