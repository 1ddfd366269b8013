import { createLimiter } from '@headgate/core';
import { memoryStore } from '@headgate/store-kit/memory-store';
import { expect, it } from 'vitest';
import type { SuiteContext } from '../framework.ts';
import type { World } from '../kit/world.ts';
import { faultyStore } from '../store/faulty-store.ts';

/** A handler that calls a limiter itself and does not catch the rejection. */
export function rejectedWork(world: World): void {
  it.each(['full', 'closed'] as const)(
    'an uncaught rejection gets the response of a gate: %s',
    async (reason) => {
      const limiter = world.watch(
        createLimiter({ name: 'renders', limit: 1, perKey: true, queueLimit: 0 }),
      );
      const permit = limiter.tryAcquire({ key: 's3cret' });
      if (reason === 'closed') void limiter.close();
      const app = await world.serve({
        async handle({ send }: SuiteContext) {
          await limiter.run(() => send(200), { key: 's3cret' });
        },
      });
      const { status, headers, body } = await app.call().answer();
      expect(status).toBe(503);
      expect(headers['retry-after']).toMatch(/^[1-9]\d*$/);
      expect(headers['cache-control']).toBe('no-store');
      expect(JSON.stringify(headers) + body).not.toContain('s3cret');
      expect(app.errors).toMatchObject([{ code: 'ERR_HEADGATE_REJECTED', rejection: { reason } }]);
      permit?.release();
    },
  );

  it('an uncaught rejection gets the same response as one by a gate during a store outage', async () => {
    const store = faultyStore(memoryStore());
    // Replaces the default warning.
    const observer = { store: () => {} };
    const limiter = world.watch(createLimiter({ name: 'renders', limit: 1, store }));
    limiter.observe(observer);
    store.faults = { call: () => 'fail' };
    const app = await world.serve({
      async handle({ send }: SuiteContext) {
        await limiter.run(() => send(200));
      },
    });
    const { status, headers } = await app.call().answer();
    expect(status).toBe(503);
    expect(headers['retry-after']).toMatch(/^[1-9]\d*$/);
    expect(headers['cache-control']).toBe('no-store');
    expect(app.errors).toMatchObject([{ code: 'ERR_HEADGATE_STORE_DOWN' }]);
    await store.close();
  });
}
