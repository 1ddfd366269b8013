import { once } from 'node:events';
import http2 from 'node:http2';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
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

  it('admits, queues and turns away the streams of one session', async () => {
    const work = new Paused();
    const limit = world.limit({ limit: 1, queueLimit: 1 });
    const app = await world.serveHttp2({ use: limit }, { handle: work.handler });
    const session = await connected(app);
    const holder = request(session, '/holder');
    await counts(limit, 1);
    const waiter = request(session, '/waiter');
    await counts(limit, 1, 1);
    const refused = await request(session, '/refused').answer;
    expect(refused.headers).toMatchObject({ ':status': 503, 'cache-control': 'no-store' });
    expect(refused.headers['retry-after']).toMatch(/^[1-9]\d*$/);
    expect(refused.headers.connection).toBeUndefined();
    expect(JSON.parse(refused.body)).toMatchObject({ status: 503, reason: 'full' });
    work.finishAll();
    expect(await holder.answer).toMatchObject({ body: '/holder' });
    expect(await waiter.answer).toMatchObject({ body: '/waiter' });
  });

  it('takes a stream that is reset out of the line', async () => {
    const work = new Paused();
    const limit = world.limit({ limit: 1, queueLimit: 1 });
    const app = await world.serveHttp2({ use: limit }, { handle: work.handler });
    const session = await connected(app);
    const holder = request(session, '/holder');
    await counts(limit, 1);
    const leaver = request(session, '/leaver');
    await counts(limit, 1, 1);
    leaver.stream.close(http2.constants.NGHTTP2_CANCEL);
    await counts(limit, 1, 0);
    expect(limit.stats().withdrawn).toBe(1);
    work.finishAll();
    await holder.answer;
    expect(work.paths).toEqual(['/holder']);
  });

  it('withdraws a stream that is reset while its unread upload waits in the queue', async () => {
    const work = new Paused();
    const limit = world.limit({ limit: 1, queueLimit: 1 });
    const app = await world.serveHttp2({ use: limit }, { handle: work.handler });
    const session = await connected(app);
    const holder = request(session, '/holder');
    await counts(limit, 1);
    const leaver = request(session, '/leaver', { ':method': 'POST' });
    leaver.stream.write(Buffer.alloc(200_000));
    await counts(limit, 1, 1);
    await aRound();
    leaver.stream.close(http2.constants.NGHTTP2_CANCEL);
    await counts(limit, 1, 0);
    expect(limit.stats().withdrawn).toBe(1);
    work.finishAll();
    await holder.answer;
    expect(work.paths).toEqual(['/holder']);
  });

  it('gets the permit of a stream back that is reset while it is handled', async () => {
    const work = new Paused();
    const limit = world.limit({ limit: 1 });
    const app = await world.serveHttp2({ use: limit }, { handle: work.handler });
    const session = await connected(app);
    const { stream } = request(session, '/');
    await work.begins(1);
    const signal = work.begun[0]?.admission?.permit?.signal;
    stream.close(http2.constants.NGHTTP2_CANCEL);
    await until(() => signal?.aborted === true);
    await aRound();
    expect(limit.inflight).toBe(1);
    work.finishAll();
    await counts(limit, 0);
  });

  it("frees the place of a stream that is reset at once with onDisconnect: 'release'", async () => {
    const work = new Paused();
    const limit = world.limit({ limit: 1, onDisconnect: 'release' });
    const app = await world.serveHttp2({ use: limit }, { handle: work.handler });
    const session = await connected(app);
    const { stream } = request(session, '/');
    await work.begins(1);
    stream.close(http2.constants.NGHTTP2_CANCEL);
    await counts(limit, 0);
    work.finishAll();
    await aRound();
  });

  it('gets all permits of a session back that is destroyed', async () => {
    const work = new Paused();
    const limit = world.limit({ limit: 3, queueLimit: 3 });
    const app = await world.serveHttp2({ use: limit }, { handle: work.handler });
    const session = await connected(app);
    for (const path of ['/a', '/b', '/c', '/d', '/e']) request(session, path);
    await counts(limit, 3, 2);
    session.destroy();
    await counts(limit, 3, 0);
    work.finishAll();
    await counts(limit, 0);
  });

  it('keeps the session of an upload that is turned away', async () => {
    const work = new Paused();
    const limit = world.limit({ limit: 1 });
    const app = await world.serveHttp2({ use: limit }, { handle: work.handler });
    const session = await connected(app);
    const holder = request(session, '/holder');
    await counts(limit, 1);
    const upload = request(session, '/upload', { ':method': 'POST' });
    upload.stream.write(Buffer.alloc(1024 * 1024));
    expect(await upload.answer).toMatchObject({ headers: { ':status': 503 } });
    upload.stream.close();
    work.finishAll();
    expect(await holder.answer).toMatchObject({ headers: { ':status': 200 } });
    expect(await request(session, '/next').answer).toMatchObject({ body: '/next' });
  });

  it('keeps the session of uploads that are rejected and never read', async () => {
    const work = new Paused();
    const limit = world.limit({ limit: 1 });
    const app = await world.serveHttp2({ use: limit }, { handle: work.handler });
    const session = await connected(app);
    const holder = request(session, '/holder');
    await counts(limit, 1);
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

  it('says nothing of a connection when it closes', async () => {
    const work = new Paused();
    const limit = world.limit({ limit: 1, queueLimit: 1 });
    const app = await world.serveHttp2({ use: limit }, { handle: work.handler });
    const session = await connected(app);
    const holder = request(session, '/holder');
    await counts(limit, 1);
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
  // Who goes away does not care about the answer.
  answered.catch(() => {});
  return { stream, answer: answered };
}
