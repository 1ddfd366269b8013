import { createLimiter } from '@headgate/core';
import { describe, expect, it } from 'vitest';
import { frameworks, openUnread, startApp } from './apps.ts';

const path = '/admin/limits/events';

describe.each(frameworks)('streams in %s', (_name, start) => {
  it('drops a viewer that never reads', async () => {
    // Long names fill the buffers of the connection within a few samples.
    const limits = Array.from({ length: 300 }, (_, i) =>
      createLimiter({ name: `${i} ${'x'.repeat(20_000)}`, limit: 1 }),
    );
    const { url, server } = await startApp(start, { limits });
    await openUnread(url + path);
    const connections = () =>
      new Promise<number>((resolve) => server.getConnections((_error, count) => resolve(count)));
    await expect.poll(connections, { timeout: 20_000 }).toBe(1);
    await expect.poll(connections, { timeout: 20_000 }).toBe(0);
  });
});
