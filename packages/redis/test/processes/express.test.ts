import { expect, onTestFinished, test, vi } from 'vitest';
import { useServer } from '../server.ts';
import { type RemoteLimiter, useWorkers } from './workers.ts';

const workers = useWorkers();
const { server: redis } = await useServer();

let ids = 0;

/** An Express app in another process. */
class App {
  constructor(
    readonly limiter: RemoteLimiter,
    readonly port: number,
  ) {}

  get() {
    const id = ++ids;
    const abort = new AbortController();
    const url = `http://127.0.0.1:${this.port}/${id}`;
    const response = fetch(url, { signal: abort.signal });
    response.catch(() => {});
    const begun = () => this.limiter.saw('begun', 1, (one) => one.id === id);
    return { id, response, begun, leave: () => abort.abort() };
  }

  /** Sends a request; resolves when its handler is running. */
  async begin() {
    const visit = this.get();
    await visit.begun();
    return visit;
  }

  finish(id: number) {
    return this.limiter.do('finish', id);
  }
}

async function start(count: number, options: Parameters<typeof workers.start>[2]) {
  const processes = await workers.start(count, redis, options);
  const apps = processes.map(async (one) => new App(one, await one.do('listen')));
  return Promise.all(apps) as Promise<[App, App]>;
}

test('two apps admit as many requests as one limit allows; the others get 503 with Retry-After', async () => {
  const [one, two] = await start(2, { limit: 2, queueLimit: 0 });
  const inside = [await one.begin(), await two.begin()];
  for (const app of [one, two]) {
    const response = await app.get().response;
    expect(response.status).toBe(503);
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    expect(response.headers.get('cache-control')).toBe('no-store');
  }
  await one.finish(inside[0]?.id as number);
  expect(await (await inside[0]?.response)?.text()).toBe('begun\ndone\n');
  await vi.waitFor(
    async () => expect(await two.limiter.do('stored')).toMatchObject({ inflight: 1 }),
    5_000,
  );
  await two.begin();
});

test('a stream holds its permit until it ends; the other app then admits the next request', async () => {
  const [one, two] = await start(2, { limit: 1 });
  const streaming = await one.begin();
  const next = two.get();
  await two.limiter.saw('queued');
  const response = await streaming.response;
  expect(response.status).toBe(200);
  expect(await two.limiter.do('stored')).toMatchObject({ inflight: 1, queued: 1 });
  await one.finish(streaming.id);
  expect(await response.text()).toBe('begun\ndone\n');
  await next.begun();
  await two.finish(next.id);
  expect((await next.response).status).toBe(200);
});

test('a client that disconnects while it waits leaves the queue in the store', async () => {
  const [one, two] = await start(2, { limit: 1 });
  const streaming = await one.begin();
  const leaving = two.get();
  await two.limiter.saw('queued');
  const next = one.get();
  await one.limiter.saw('queued');
  leaving.leave();
  await two.limiter.saw('withdrawn');
  await vi.waitFor(
    async () => expect(await one.limiter.do('stored')).toMatchObject({ queued: 1 }),
    5_000,
  );
  await one.finish(streaming.id);
  await next.begun();
  expect(two.limiter.of('begun')).toEqual([]);
});

test('a client that disconnects while it is served releases its permit', async () => {
  const [one, two] = await start(2, { limit: 1 });
  const streaming = await one.begin();
  const next = two.get();
  await two.limiter.saw('queued');
  await streaming.response;
  streaming.leave();
  await one.limiter.saw('aborted');
  await one.finish(streaming.id);
  await next.begun();
});

test('the signal of an admitted request aborts when its lease is lost', async () => {
  const [one, two] = await start(2, { limit: 1, lease: 900 });
  const streaming = await one.begin();
  const next = two.get();
  await two.limiter.saw('queued');
  one.limiter.worker.freeze();
  await next.begun();
  one.limiter.worker.thaw();
  expect(await one.limiter.saw('aborted')).toMatchObject({ id: streaming.id });
  await one.finish(streaming.id);
  expect(await two.limiter.do('stored')).toMatchObject({ inflight: 1 });
});

test('without the store, requests get 503 with Retry-After and the reason, or each app enforces its own limit', async () => {
  const server = redis;
  const times = { lease: 9_000, timeout: 1_000, limit: 1 };
  const [rejecting] = await start(1, { ...times, queueLimit: 0 });
  const [going] = await start(1, { ...times, queueLimit: 0, onStoreError: 'local' });
  for (const app of [rejecting, going]) {
    const { id, response } = await app.begin();
    await app.finish(id);
    await (await response).text();
  }
  server.freeze();
  onTestFinished(() => server.thaw());
  const refused = await rejecting.get().response;
  expect(refused.status).toBe(503);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
  expect(await refused.text()).toContain('store');
  const inside = await going.begin();
  expect((await going.get().response).status).toBe(503);
  await going.finish(inside.id);
  server.thaw();
  await rejecting.limiter.saw('store', 1, ({ up }) => up === true);
  await rejecting.begin();
});
