import { createReadStream } from 'node:fs';
import { mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { expect, it } from 'vitest';
import type { SuiteContext } from '../framework.ts';
import { collectErrors } from '../kit/output.ts';
import { aRound, counts } from '../kit/until.ts';
import type { World } from '../kit/world.ts';

/** More than the buffers of two sockets hold. */
const LARGE_BODY_BYTES = 24 * 1024 * 1024;

export function streams(world: World): void {
  /** An app that responds with this stream. */
  async function streaming(body: () => Readable, headers: Record<string, string> = {}) {
    const limit = world.limit({ limit: 1, queueLimit: 0 });
    const handle = { handle: (context: SuiteContext) => context.stream(body(), headers) };
    const app = await world.serve({ use: limit }, handle);
    return { limit, app };
  }

  it('holds the permit while the body streams', async () => {
    const body = new PassThrough();
    const { limit, app } = await streaming(() => body);
    const call = app.call();
    body.write('one ');
    await call.response;
    await aRound();
    expect(limit.holders).toBe(1);
    expect(await app.call().answer()).toMatchObject({ status: 503 });
    body.end('two');
    expect(await call.answer()).toMatchObject({ status: 200, body: 'one two' });
    await counts(limit, 0);
  });

  it('holds the permit while server-sent events are open', async () => {
    const events = new PassThrough();
    const headers = { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-cache' };
    const { limit, app } = await streaming(() => events, headers);
    // Some frameworks handle the disconnect during a stream as an error.
    app.ignoreErrors();
    const client = app.raw();
    client.request('GET /events', 'Accept: text/event-stream');
    for (const count of [1, 2, 3]) {
      events.write(`data: ${count}\n\n`);
      await client.receives(new RegExp(`data: ${count}`));
      expect(limit.holders).toBe(1);
    }
    await client.destroy();
    await counts(limit, 0);
  });

  it('holds the permit while a file is piped to a slow reader', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'headgate-'));
    world.later(() => rm(folder, { recursive: true }));
    const file = join(folder, 'large');
    await writeFile(file, '');
    await truncate(file, LARGE_BODY_BYTES);
    const { limit, app } = await streaming(() => createReadStream(file));
    const call = app.call();
    const response = await call.response;
    await aRound();
    expect(limit.holders).toBe(1);
    let received = 0;
    for await (const chunk of response) received += chunk.length;
    expect(received).toBe(LARGE_BODY_BYTES);
    await counts(limit, 0);
  });

  world.itSeesConnections(
    'holds the permit until a slow reader has received a large response',
    async () => {
      const limit = world.limit({ limit: 1 });
      const handle = {
        handle: (context: SuiteContext) => context.send(200, 'x'.repeat(LARGE_BODY_BYTES)),
      };
      const app = await world.serve({ use: limit }, handle);
      const response = await app.call().response;
      await aRound();
      expect(limit.holders).toBe(1);
      for await (const _ of response);
      await counts(limit, 0);
    },
  );

  it('releases the permit when the stream fails', async () => {
    const printed = collectErrors(/^Error: broken$/);
    const body = new PassThrough();
    const { limit, app } = await streaming(() => body);
    app.ignoreErrors();
    const call = app.call();
    body.write('one');
    await call.response;
    body.destroy(new Error('broken'));
    await aRound();
    // Aborts, since not every framework ends the response in that case.
    call.abort();
    await counts(limit, 0);
    expect(printed.length).toBeLessThanOrEqual(1);
  });

  it('releases the permit after a HEAD, whose response has no body', async () => {
    const { limit, app } = await streaming(() => Readable.from(['one', 'two']));
    expect(await app.call('/', { method: 'HEAD' }).answer()).toMatchObject({
      status: 200,
      body: '',
    });
    await counts(limit, 0);
  });

  it.each([204, 304])('releases the permit after a %i', async (status) => {
    const limit = world.limit({ limit: 1 });
    const handle = { handle: (context: SuiteContext) => context.send(status) };
    const app = await world.serve({ use: limit }, handle);
    expect(await app.call().answer()).toMatchObject({ status, body: '' });
    await counts(limit, 0);
  });
}
