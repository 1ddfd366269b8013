import { concurrencyLimit } from '@headgate/hono';
import { Hono } from 'hono';

/** Responds with the error for the options in the query, or for a request without an execution context. */
export default {
  fetch(request: Request): Response | Promise<Response> {
    const { pathname, searchParams } = new URL(request.url);
    if (pathname === '/without-context') return withoutContext(request);
    try {
      concurrencyLimit(JSON.parse(searchParams.get('options') ?? '{}'));
      return Response.json({});
    } catch (error) {
      return responseOf(error as Error);
    }
  },
};

function withoutContext(request: Request): Response | Promise<Response> {
  const limit = concurrencyLimit({ limit: 1, maxHold: 1000 });
  const app = new Hono().use(limit).get('*', (c) => c.text('handled'));
  app.onError((error) => responseOf(error, limit.stats().holders));
  return app.fetch(request);
}

function responseOf(error: Error, holders?: number): Response {
  const { code, option, message } = error as Error & { code: string; option: string };
  return Response.json({ code, option, message, holders });
}
