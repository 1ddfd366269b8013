import { concurrencyLimit, timeLeft } from '@headgate/web';
import { expectTypeOf } from 'vitest';

interface NextRequest extends Request {
  readonly nextUrl: URL;
}

/** A wrapped handler has the type that its host expects. */
export function wrapped() {
  const limit = concurrencyLimit();
  interface Server {
    upgrade(request: Request): boolean;
  }
  type BunFetch = (
    request: Request,
    server: Server,
  ) => Response | undefined | Promise<Response | undefined>;
  const ofBun: BunFetch = limit.wrap((request, server) => {
    if (server.upgrade(request)) return undefined;
    return new Response('ok');
  });
  expectTypeOf(ofBun).toEqualTypeOf<BunFetch>();
  type Context = { params: Promise<{ id: string }> };
  const ofNext = limit.wrap(async (request: NextRequest, { params }: Context) =>
    Response.json({ id: (await params).id, path: request.nextUrl.pathname }),
  );
  expectTypeOf(ofNext).toEqualTypeOf<
    (request: NextRequest, context: Context) => Promise<Response>
  >();
}

/** The functions of the options receive the request of the host. */
export function options() {
  const limit = concurrencyLimit<NextRequest>({
    limit: 1,
    key: (request) => request.nextUrl.pathname,
    queueTimeout: (request) => (request.nextUrl.pathname === '/export' ? 30_000 : undefined),
    skip: (request) => request.method === 'OPTIONS',
    onReject: ({ reason }, request, next) =>
      reason === 'full' ? next(request) : new Response(null, { status: 503 }),
  });
  limit.wrap((request) => {
    expectTypeOf(request).toEqualTypeOf<NextRequest>();
    return new Response('ok');
  });
  // @ts-expect-error: another request lacks `nextUrl`
  void limit(new Request('http://localhost/'), () => new Response('ok'));
}

/** `timeLeft()` reads the request of any host. */
export function deadlines() {
  const queueTimeout = timeLeft({ max: 10_000 });
  const limit = concurrencyLimit<NextRequest>({ queueTimeout });
  void limit.wrap((request) => new Response(request.nextUrl.pathname));
  concurrencyLimit({ limit: 1, queueTimeout })(
    new Request('http://localhost/'),
    () => new Response(),
  );
}

/** `classify` receives the response. */
export function classified() {
  concurrencyLimit({ classify: ({ status }) => (status === 503 ? 'dropped' : 'ok') });
}
