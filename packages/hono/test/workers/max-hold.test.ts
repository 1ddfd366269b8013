import { afterAll, beforeAll, describe, expect, it } from 'vitest';
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
    await new Promise((resolve) => setTimeout(resolve, 1600));
    expect(await worker.call('/work').answer()).toMatchObject({ status: 200 });
    expect(await worker.stats()).toMatchObject({ leaked: leaked + 1 });
    await held;
    await worker.counts(0);
  });
});
