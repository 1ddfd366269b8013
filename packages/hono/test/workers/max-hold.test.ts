import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { RunningWorker } from './running-worker.ts';

describe('maxHold on Cloudflare Workers', () => {
  let worker: RunningWorker;

  beforeAll(async () => {
    worker = await RunningWorker.start(new URL('max-hold.ts', import.meta.url));
  });
  afterAll(() => worker.stop());

  it.each(['/hung', '/signal'])('releases a permit after maxHold: %s', async (path) => {
    const { leaked } = await worker.stats();
    const held = worker
      .call(path)
      .answer()
      .catch(() => undefined);
    await worker.counts(1);
    // Each request fires the timers that are due.
    await vi.waitFor(
      async () => expect(await worker.stats()).toMatchObject({ leaked: leaked + 1 }),
      { interval: 100, timeout: 10_000 },
    );
    expect(await worker.call('/work').answer()).toMatchObject({ status: 200 });
    await held;
    await worker.counts(0);
  });
});
