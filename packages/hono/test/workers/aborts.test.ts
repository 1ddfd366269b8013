import { map } from '@headgate/core';
import { lcg } from '@headgate/test-kit/lcg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RunningWorker } from './running-worker.ts';

const COUNT = 1000;

describe('clients that disconnect from Cloudflare Workers', { timeout: 60_000 }, () => {
  let worker: RunningWorker;
  const random = lcg(1);
  const below = (limit: number) => Math.floor(random() * limit);

  /** Requests that end in the queue, during the handler, during a stream, or before they are aborted. */
  function path(): string {
    const paths = [`/work/${below(30)}`, `/work/${below(30)}`, '/stream', '/throws'];
    return paths[below(paths.length)] as string;
  }

  beforeAll(async () => {
    worker = await RunningWorker.start(new URL('app.ts', import.meta.url));
  });
  afterAll(() => worker.stop());

  async function worksAsBefore(): Promise<void> {
    await worker.counts(0);
    expect(await worker.call('/work/1').answer()).toMatchObject({ status: 200 });
    await worker.counts(0);
    expect(await worker.stats()).toMatchObject({ leaked: 0 });
  }

  it('leave no permit and no waiter behind', async () => {
    const statuses = new Set<number>();
    const abort = async (_: unknown, index: number) => {
      const asked = path();
      const client = worker.raw(asked);
      // Some are aborted once they are answered, however long that takes; others wherever they are by then.
      if (index % 10 === 0) await client.receives(/HTTP/);
      else await new Promise((resolve) => setTimeout(resolve, below(40)));
      const [status = 0] = client.statuses.map(Number);
      if (asked !== '/throws') statuses.add(status);
      // workerd does not notice a client that merely closes its connection.
      client.socket.resetAndDestroy();
    };
    await map(Array.from({ length: COUNT }), abort, { limit: 15 });
    await worksAsBefore();
    // Some were answered, some were not; no request was ended as hung.
    expect(statuses).toContain(0);
    expect(statuses).toContain(200);
    expect(statuses).not.toContain(500);
  });

  it('leave no permit and no waiter behind through a service binding', async () => {
    const statuses = new Set<number>();
    for (let aborted = 0; aborted < COUNT; aborted += 20) {
      const calls = Array.from({ length: 20 }, () => [`/work/${below(30)}`, below(60)]);
      const { body } = await worker
        .caller(`/?paths=${encodeURIComponent(JSON.stringify(calls))}`)
        .answer();
      for (const status of JSON.parse(body) as number[]) statuses.add(status);
    }
    await worksAsBefore();
    expect(statuses).toContain(0);
    expect(statuses).toContain(200);
    expect(statuses).not.toContain(500);
  });
});
