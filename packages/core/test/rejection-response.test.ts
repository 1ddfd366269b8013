import { expect, it } from 'vitest';
import { createLimiter, type RejectedError, StoreError } from '../src/index.ts';

async function rejected(): Promise<RejectedError> {
  const limiter = createLimiter({ name: 'renders', limit: 1, perKey: true, queueLimit: 0 });
  limiter.tryAcquire({ key: 's3cret' });
  return limiter.acquire({ key: 's3cret' }).then(
    () => expect.unreachable(),
    (error) => error,
  );
}

it("a RejectedError has the status and headers of a gate's response", async () => {
  const error = await rejected();
  const headers = {
    'Retry-After': String(error.rejection.retryAfter),
    'Cache-Control': 'no-store',
  };
  expect(error).toMatchObject({ status: 503, statusCode: 503, expose: true, headers });
  expect(JSON.stringify(error) + error.message).not.toContain('s3cret');
});

it('a RejectedError provides the response that Hono reads from an error', async () => {
  const error = await rejected();
  const response = error.getResponse();
  expect(response.status).toBe(503);
  expect(response.headers.get('content-type')).toMatch(/^text\/plain/);
  expect(response.headers.get('retry-after')).toBe(String(error.rejection.retryAfter));
  expect(response.headers.get('cache-control')).toBe('no-store');
  const body = await response.text();
  expect(body).toMatch(/^The server is busy\. Try again in \d+ seconds?\.\n$/);
});

it("a RejectedError works with Nest's filter for errors other than HttpException", async () => {
  // What BaseExceptionFilter.isHttpError checks, and what it responds with.
  const error = await rejected();
  expect(error.statusCode && error.message).toBeTruthy();
  expect({ statusCode: error.statusCode, message: error.message }).toEqual({
    statusCode: 503,
    message: 'limit "renders" rejected: full',
  });
});

it("an error handler can overwrite the status, as Koa's does", async () => {
  const error = await rejected();
  error.status = 500;
  expect(error.status).toBe(500);
});

it('a StoreError of a rejection has the same response, but does not expose its message', async () => {
  const { rejection } = await rejected();
  const error = new StoreError('ERR_HEADGATE_STORE_DOWN', 'connect 10.0.0.5').for(rejection);
  expect(error).toMatchObject({ status: 503, statusCode: 503, expose: false });
  expect(error.headers).toMatchObject({ 'Cache-Control': 'no-store' });
  const response = error.getResponse();
  expect(response.status).toBe(503);
  expect(await response.text()).not.toContain('10.0.0.5');
});

it.each([
  ['the error of the client', new Error('ECONNREFUSED')],
  ['the error of the store', undefined],
])('a StoreError of a rejection has %s as its cause', async (_, cause) => {
  const { rejection } = await rejected();
  const error = new StoreError('ERR_HEADGATE_STORE_DOWN', 'the store is down', cause);
  expect(error.for(rejection).cause).toBe(cause ?? error);
});
