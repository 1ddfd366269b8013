import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { type AdmissionEnv, concurrencyLimit } from '@headgate/hono';
import { Call, counts } from '@headgate/test-suite';
import { getRequestListener } from '@hono/node-server';
import { Hono, type MiddlewareHandler } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { compress } from 'hono/compress';
import { cors } from 'hono/cors';
import { etag } from 'hono/etag';
import { stream } from 'hono/streaming';
import { timeout } from 'hono/timeout';
import { afterEach, describe, expect, it } from 'vitest';

const long = 'a line that compresses well\n'.repeat(500);

/** On Node's server, and with only Request and Response. */
describe.each(['on Node', 'elsewhere'])('Hono with other middleware %s', (where) => {
  const servers: http.Server[] = [];
  const limits: ReturnType<typeof concurrencyLimit>[] = [];

  afterEach(async () => {
    for (const limit of limits.splice(0)) await counts(limit, 0, 0);
    for (const server of servers.splice(0)) {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }
  });

  function app(before?: MiddlewareHandler, after?: MiddlewareHandler) {
    const limit = concurrencyLimit({ limit: 1 });
    limits.push(limit);
    const hono = new Hono();
    if (before !== undefined) hono.use(before);
    hono.use(limit);
    if (after !== undefined) hono.use(after);
    hono.get('/text', (c) => c.text(long));
    hono.get('/empty', (c) => c.body(null, 204));
    hono.get('/stream', (c) => stream(c, async (out) => void (await out.write(long))));
    hono.post('/echo', async (c) => c.text(await c.req.text()));
    return hono;
  }

  async function ask(hono: Hono, path: string, options: Options = {}) {
    if (where === 'elsewhere') {
      const response = await hono.request(path, options);
      const body = Buffer.from(await response.arrayBuffer());
      return { status: response.status, headers: Object.fromEntries(response.headers), body };
    }
    const server = http.createServer(getRequestListener(hono.fetch)).listen(0, '127.0.0.1');
    servers.push(server);
    await once(server, 'listening');
    const response = await new Call((server.address() as AddressInfo).port, path, options).response;
    const body = Buffer.concat(await response.toArray());
    return { status: response.statusCode, headers: response.headers, body };
  }

  it.each(['before', 'after'])('etag %s the limit responds with 304', async (place) => {
    const hono = place === 'before' ? app(etag()) : app(undefined, etag());
    const { status, headers } = await ask(hono, '/text');
    expect(status).toBe(200);
    const again = await ask(hono, '/text', { headers: { 'If-None-Match': String(headers.etag) } });
    expect(again.status).toBe(304);
    expect(again.body).toHaveLength(0);
  });

  it.each(['before', 'after'])('compress %s the limit compresses', async (place) => {
    const hono = place === 'before' ? app(compress()) : app(undefined, compress());
    for (const path of ['/text', '/stream']) {
      const { headers, body } = await ask(hono, path, { headers: { 'Accept-Encoding': 'gzip' } });
      if (path === '/text') expect(headers['content-encoding']).toBe('gzip');
      const plain = headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body;
      expect(plain.toString()).toBe(long);
    }
  });

  it.each(['before', 'after'])('cors %s the limit adds its headers', async (place) => {
    const options = { origin: 'https://example.com', exposeHeaders: ['Retry-After'] };
    const hono = place === 'before' ? app(cors(options)) : app(undefined, cors(options));
    const origin = { Origin: 'https://example.com' };
    const { headers } = await ask(hono, '/text', { headers: origin });
    expect(headers['access-control-allow-origin']).toBe('https://example.com');
    const preflight = { ...origin, 'Access-Control-Request-Method': 'POST' };
    const answer = await ask(hono, '/text', { method: 'OPTIONS', headers: preflight });
    expect(answer.status).toBe(204);
    expect(limits[0]?.stats().admitted).toBe(1);
  });

  it('bodyLimit and timeout still work', async () => {
    const small = app(bodyLimit({ maxSize: 10 }));
    const upload = { method: 'POST', body: 'x'.repeat(100) };
    expect(await ask(small, '/echo', upload)).toMatchObject({ status: 413 });
    const timed = app(timeout(60_000));
    const echoed = await ask(timed, '/echo', { method: 'POST', body: 'hello' });
    expect(echoed.body.toString()).toBe('hello');
  });

  it.each([
    ['/text', 'HEAD', 200],
    ['/stream', 'HEAD', 200],
    ['/empty', 'GET', 204],
    ['/empty', 'HEAD', 204],
    ['/missing', 'GET', 404],
  ])('%s releases the permit after a %s', async (path, method, status) => {
    const hono = app();
    expect(await ask(hono, path, { method })).toMatchObject({ status });
    expect(await ask(hono, path, { method })).toMatchObject({ status });
  });

  it('a thrown value that is not an Error does not count as a disconnect', async () => {
    const hono = new Hono<AdmissionEnv>();
    const limit = concurrencyLimit({ limit: 1, headers: true });
    limits.push(limit);
    let signal: AbortSignal | undefined;
    hono.use(limit).get('/odd', (c) => {
      signal = c.var.admission.permit?.signal;
      throw 'no Error';
    });
    await ask(hono as never, '/odd').catch(() => {});
    await counts(limit, 0, 0);
    if (where === 'on Node') expect(signal?.aborted).toBe(false);
  });
});

interface Options {
  method?: string;
  headers?: Record<string, string>;
  body?: string;
}
