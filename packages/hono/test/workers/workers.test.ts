import { startWorkerd } from '@headgate/test-servers';
import { Call } from '@headgate/test-suite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RunningWorker } from './running-worker.ts';

describe('Hono on Cloudflare Workers', () => {
  let worker: RunningWorker;

  beforeAll(async () => {
    worker = await RunningWorker.start(new URL('app.ts', import.meta.url));
  });
  afterAll(() => worker.stop());

  it('serves all requests with the default limit', async () => {
    const program = new URL('default-limit.ts', import.meta.url);
    const server = await startWorkerd({ app: { program, flags: ['enable_request_signal'] } });
    for (let round = 0; round < 3; round++) {
      const calls = Array.from({ length: 20 }, () => new Call(server.port(), '/', {}).answer());
      for (const answer of await Promise.all(calls)) expect(answer).toMatchObject({ status: 200 });
    }
    await server.stop();
  });

  const counts = (holders: number, queued = 0) => worker.counts(holders, queued);

  it('serves requests that queue behind each other', async () => {
    const calls = Array.from({ length: 6 }, () => worker.call('/work/20').answer());
    for (const answer of await Promise.all(calls)) expect(answer).toMatchObject({ status: 200 });
    await counts(0);
  });

  it('rejects a waiter after queueTimeout even if all other requests have ended', async () => {
    const holder = worker.raw('/impatient/stream');
    await holder.receives(/chunk/);
    const waiters = [1, 2].map(() => worker.call('/impatient/stream').answer());
    for (const answer of await Promise.all(waiters)) {
      expect(answer).toMatchObject({ status: 503, body: expect.stringContaining('timeout') });
      expect(answer.headers['retry-after']).toMatch(/^[1-9]/);
    }
    holder.socket.resetAndDestroy();
  });

  it('releases the permits of clients that disconnect during their handler', async () => {
    for (let i = 0; i < 2; i++) {
      // Long enough to be seen on a busy machine. The runtime may end a handler that waits for its own signal.
      const client = worker.raw('/work/1500');
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
    const holder = worker.raw('/stream');
    await counts(1);
    const abortedCall = worker.raw('/work/1');
    await counts(1, 1);
    abortedCall.socket.resetAndDestroy();
    await counts(1, 0);
    holder.socket.resetAndDestroy();
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

  it('grants the permit to the next waiter if the runtime has ended the first one', async () => {
    const holder = worker.raw('/stream');
    await counts(1);
    expect(await worker.call('/work/1?dies').answer()).toMatchObject({ body: 'gone' });
    await counts(1, 1);
    holder.socket.resetAndDestroy();
    // The request that has been ended is granted, and does not take that up.
    await counts(1, 0);
    await counts(0, 0);
    expect(await worker.call('/work/1').answer()).toMatchObject({ status: 200 });
    const { leaked } = await worker.stats();
    expect(leaked).toBe(0);
  });

  it('releases the permit of a handler that fails', async () => {
    expect(await worker.call('/throws').answer()).toMatchObject({ status: 500 });
    await counts(0);
  });
});
