import { once } from 'node:events';
import http2 from 'node:http2';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import type { SuiteOptions } from '../framework.ts';
import { ok, Paused } from '../kit/handlers.ts';
import { aRound, counts, until } from '../kit/until.ts';
import type { Running, World } from '../kit/world.ts';

export function overHttp2(world: World): void {
  async function connected(app: Running) {
    const session = http2.connect(app.url);
    session.on('error', () => {});
    world.later(() => session.destroy());
    await once(session, 'connect');
    return session;
  }

  async function limited(options: SuiteOptions) {
    const work = new Paused();
    const limit = world.limit(options);
    const app = await world.serveHttp2({ use: limit }, { handle: work.handler });
    return { work, limit, session: await connected(app) };
  }

  /** A limit of 1, whose permit `holder` holds. */
  async function full(options?: SuiteOptions) {
    const app = await limited({ limit: 1, queueLimit: 0, ...options });
    const holder = request(app.session, '/holder');
    await counts(app.limit, 1);
    return { ...app, holder };
  }

  it('admits, queues and rejects the streams of one session', async () => {
    const { work, limit, session, holder } = await full({ queueLimit: 1 });
    const waiter = request(session, '/waiter');
    await counts(limit, 1, 1);
    const rejected = await request(session, '/rejected').answer;
    expect(rejected.headers).toMatchObject({ ':status': 503, 'cache-control': 'no-store' });
    expect(rejected.headers['retry-after']).toMatch(/^[1-9]\d*$/);
    expect(rejected.headers.connection).toBeUndefined();
    expect(JSON.parse(rejected.body)).toMatchObject({ status: 503, reason: 'full' });
    work.finishAll();
    expect(await holder.answer).toMatchObject({ body: '/holder' });
    expect(await waiter.answer).toMatchObject({ body: '/waiter' });
  });

  it.each([
    ['GET', 'GET', undefined],
    ['HEAD', 'HEAD', undefined],
    ['POST with an unread body', 'POST', Buffer.alloc(200_000)],
  ])('withdraws a %s whose stream is reset in the queue', async (_, method, body) => {
    const { work, limit, session, holder } = await full({ queueLimit: 1 });
    const abortedCall = request(session, '/leaver', { ':method': method });
    if (body) abortedCall.stream.write(body);
    await counts(limit, 1, 1);
    await aRound();
    abortedCall.stream.close(http2.constants.NGHTTP2_CANCEL);
    await counts(limit, 1, 0);
    expect(limit.stats().withdrawn).toBe(1);
    work.finishAll();
    await holder.answer;
    expect(work.paths).toEqual(['/holder']);
  });

  it.each(['GET', 'HEAD'])(
    'releases the permit of a %s whose stream is reset during its handler',
    async (method) => {
      const { work, limit, session } = await limited({ limit: 1 });
      const { stream } = request(session, '/', { ':method': method });
      await work.begins(1);
      const signal = work.begun[0]?.admission?.permit?.signal;
      stream.close(http2.constants.NGHTTP2_CANCEL);
      await until(() => signal?.aborted === true);
      await aRound();
      expect(limit.holders).toBe(1);
      work.finishAll();
      await counts(limit, 0);
    },
  );

  it("releases the permit of a reset stream immediately with onDisconnect: 'release'", async () => {
    const { work, limit, session } = await limited({ limit: 1, onDisconnect: 'release' });
    const { stream } = request(session, '/');
    await work.begins(1);
    stream.close(http2.constants.NGHTTP2_CANCEL);
    await counts(limit, 0);
    work.finishAll();
    await aRound();
  });

  it('releases all permits of a session that is destroyed', async () => {
    const { work, limit, session } = await limited({ limit: 3, queueLimit: 3 });
    for (const path of ['/a', '/b', '/c', '/d', '/e']) request(session, path);
    await counts(limit, 3, 2);
    session.destroy();
    await counts(limit, 3, 0);
    work.finishAll();
    await counts(limit, 0);
  });

  it('keeps the session of a rejected upload', async () => {
    const { work, session, holder } = await full();
    const upload = request(session, '/upload', { ':method': 'POST' });
    upload.stream.write(Buffer.alloc(1024 * 1024));
    expect(await upload.answer).toMatchObject({ headers: { ':status': 503 } });
    upload.stream.close();
    work.finishAll();
    expect(await holder.answer).toMatchObject({ headers: { ':status': 200 } });
    expect(await request(session, '/next').answer).toMatchObject({ body: '/next' });
  });

  it('keeps the session of rejected uploads that are never read', async () => {
    const { work, session, holder } = await full();
    for (const path of ['/a', '/b', '/c']) {
      const upload = request(session, path, { ':method': 'POST' });
      upload.stream.end(Buffer.alloc(300_000));
      const { headers } = await upload.answer;
      expect(headers[':status']).toBe(503);
      expect(headers.connection).toBeUndefined();
    }
    work.finishAll();
    expect(await holder.answer).toMatchObject({ headers: { ':status': 200 } });
    expect(await request(session, '/next').answer).toMatchObject({ body: '/next' });
  });

  it('sends no Connection header on close()', async () => {
    const { work, limit, session, holder } = await full({ queueLimit: 1 });
    const waiter = request(session, '/waiter');
    await counts(limit, 1, 1);
    const closed = limit.close();
    const { headers } = await waiter.answer;
    expect(headers[':status']).toBe(503);
    expect(headers.connection).toBeUndefined();
    work.finishAll();
    expect(await holder.answer).toMatchObject({ headers: { ':status': 200 } });
    expect(await closed).toBe(0);
  });

  it('serves many streams one by one', async () => {
    const limit = world.limit({ limit: 2, queueLimit: 100, queueTimeout: 60_000 });
    const app = await world.serveHttp2({ use: limit }, { handle: ok });
    const session = await connected(app);
    const answers = Array.from({ length: 60 }, () => request(session, '/').answer);
    for (const answer of answers) expect(await answer).toMatchObject({ body: 'ok' });
    expect(limit.stats().admitted).toBe(60);
  });
}

function request(
  session: http2.ClientHttp2Session,
  path: string,
  headers: http2.OutgoingHttpHeaders = {},
) {
  const stream = session.request({ ':path': path, ...headers });
  stream.on('error', () => {});
  const answered = once(stream, 'response').then(async ([head]) => {
    return { headers: head as http2.IncomingHttpHeaders, body: await text(stream) };
  });
  // A reset stream has no response.
  answered.catch(() => {});
  return { stream, answer: answered };
}
