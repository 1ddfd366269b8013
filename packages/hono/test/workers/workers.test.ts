import { fileURLToPath } from 'node:url';
import { Call, RawSocket } from '@headgate/test-suite';
import { build } from 'esbuild';
import { Miniflare } from 'miniflare';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const folder = fileURLToPath(new URL('.', import.meta.url));

/** Runs a module on workerd, as Cloudflare does. */
async function start(contents: string, ...compatibilityFlags: string[]) {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: folder },
    bundle: true,
    write: false,
    format: 'esm',
    target: 'es2022',
    conditions: ['headgate-source'],
  });
  const script = outputFiles[0]?.text ?? '';
  const runtime = new Miniflare({
    modules: true,
    script,
    compatibilityDate: '2026-04-01',
    compatibilityFlags,
    port: 0,
  });
  const port = Number((await runtime.ready).port);
  const call = (path: string) => new Call(port, path, {});
  const stats = async () => JSON.parse((await call('/stats').answer()).body);
  const raw = (path: string) => {
    const client = new RawSocket(port);
    client.request(`GET ${path}`);
    return client;
  };
  return { runtime, call, stats, raw };
}

const withDefaultLimit = `
  import { concurrencyLimit } from '@headgate/hono';
  import { Hono } from 'hono';

  const app = new Hono().use(concurrencyLimit({ maxHold: 5000 }));
  app.get('/', async (c) => {
    await new Promise((resolve) => setTimeout(resolve, 20));
    return c.text('done');
  });
  export default app;
`;

type Running = Awaited<ReturnType<typeof start>>;

describe('Hono on Cloudflare Workers', () => {
  let worker: Running;

  beforeAll(async () => {
    worker = await start("export { default } from './app.ts'", 'enable_request_signal');
  });
  afterAll(() => worker.runtime.dispose());

  it('serves all requests with the default limit', async () => {
    const { runtime, call } = await start(withDefaultLimit, 'enable_request_signal');
    for (let round = 0; round < 3; round++) {
      const calls = Array.from({ length: 20 }, () => call('/').answer());
      for (const answer of await Promise.all(calls)) expect(answer).toMatchObject({ status: 200 });
    }
    await runtime.dispose();
  });

  async function counts(inflight: number, queued = 0): Promise<void> {
    let seen: { inflight: number; queued: number } = await worker.stats();
    for (let i = 0; i < 100 && (seen.inflight !== inflight || seen.queued !== queued); i++) {
      await new Promise((resolve) => setTimeout(resolve, 20));
      seen = await worker.stats();
    }
    expect(seen).toMatchObject({ inflight, queued });
  }

  it('serves requests that queue behind each other', async () => {
    const calls = Array.from({ length: 6 }, () => worker.call('/work/20').answer());
    for (const answer of await Promise.all(calls)) expect(answer).toMatchObject({ status: 200 });
    await counts(0);
  });

  it('rejects a waiter after queueTimeout even if all other requests have ended', async () => {
    const holder = worker.call('/work/900').answer();
    await counts(1);
    const waiters = [worker.call('/work/1').answer(), worker.call('/work/1').answer()];
    for (const answer of await Promise.all(waiters)) {
      expect(answer).toMatchObject({ status: 503, body: expect.stringContaining('timeout') });
      expect(answer.headers['retry-after']).toMatch(/^[1-9]/);
    }
    expect(await holder).toMatchObject({ status: 200 });
    await counts(0);
  });

  it('releases the permits of clients that disconnect during their handler', async () => {
    for (let i = 0; i < 4; i++) {
      const client = worker.raw('/work/200');
      await counts(1);
      // workerd does not notice a client that merely closes its connection.
      client.socket.resetAndDestroy();
      await counts(0);
    }
    expect(await worker.call('/work/1').answer()).toMatchObject({ status: 200 });
    expect(await worker.stats()).toMatchObject({ leaked: 0 });
  });

  it('withdraws clients that disconnect in the queue', async () => {
    const { withdrawn } = await worker.stats();
    const holder = worker.call('/work/300').answer();
    await counts(1);
    const abortedCall = worker.raw('/work/1');
    await counts(1, 1);
    abortedCall.socket.resetAndDestroy();
    await counts(1, 0);
    expect(await holder).toMatchObject({ status: 200 });
    expect(await worker.stats()).toMatchObject({ withdrawn: withdrawn + 1 });
    await counts(0);
  });

  it('releases the permit of a stream that the client aborts', async () => {
    const client = worker.raw('/stream');
    await client.receives(/chunk/);
    await counts(1);
    client.socket.resetAndDestroy();
    await counts(0);
  });

  it('releases the permit of a handler that fails', async () => {
    expect(await worker.call('/throws').answer()).toMatchObject({ status: 500 });
    await counts(0);
  });

  it.each(['/hung', '/signal'])('releases a permit after maxHold: %s', async (path) => {
    const { leaked } = await worker.stats();
    const held = worker
      .call(path)
      .answer()
      .catch(() => undefined);
    await counts(1);
    await new Promise((resolve) => setTimeout(resolve, 1600));
    expect(await worker.call('/work/1').answer()).toMatchObject({ status: 200 });
    expect(await worker.stats()).toMatchObject({ leaked: leaked + 1 });
    await held;
    await counts(0);
  });

  it.each([
    ['without maxHold', { limit: 1 }, 'maxHold'],
    ['with a limiter', { limits: [{ limiter: {} }], maxHold: 1000 }, 'limiter'],
    ['with a store', { limit: 1, store: {}, maxHold: 1000 }, 'store'],
  ])('concurrencyLimit() throws %s', async (_, options, option) => {
    const path = `/misuse?options=${encodeURIComponent(JSON.stringify(options))}`;
    const { body } = await worker.call(path).answer();
    expect(JSON.parse(body)).toMatchObject({ code: 'ERR_HEADGATE_RUNTIME', option });
  });
});

it('concurrencyLimit() throws on Cloudflare Workers without the compatibility flag', async () => {
  const { runtime, call } = await start(`
    import { concurrencyLimit } from '@headgate/hono';
    export default {
      fetch() {
        try {
          concurrencyLimit({ limit: 1, maxHold: 1000 });
        } catch ({ code, message }) {
          return Response.json({ code, message });
        }
      },
    };
  `);
  expect(JSON.parse((await call('/').answer()).body)).toMatchObject({
    code: 'ERR_HEADGATE_RUNTIME',
    message: expect.stringContaining('"enable_request_signal"'),
  });
  await runtime.dispose();
});
