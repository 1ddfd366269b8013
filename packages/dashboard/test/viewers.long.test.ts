import { createLimiter } from '@headgate/core';
import { describe, expect, it } from 'vitest';
import { EventClient, frameworks, startApp } from './apps.ts';

const path = '/admin/limits/events';

describe.each(frameworks)('streams in %s', (_name, start) => {
  it('serves 1,000 viewers with one sample per second, and refuses one more', async () => {
    let reads = 0;
    const limits = [createLimiter({ limit: 1 })];
    const { url } = await startApp(start, {
      limits: () => {
        reads++;
        return limits;
      },
    });
    const clients: EventClient[] = [];
    for (let i = 0; i < 20; i++) {
      const batch = Array.from({ length: 50 }, () => EventClient.open(url + path));
      clients.push(...(await Promise.all(batch)));
    }
    expect(clients.every(({ response }) => response.status === 200)).toBe(true);
    const refused = await fetch(url + path);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '60']);
    // Polling still works.
    expect((await fetch(url + path.replace('events', 'state'))).status).toBe(200);
    const before = reads;
    const last = await Promise.all(
      clients.map(async (client) => {
        let latest = await client.next();
        const { now } = latest;
        while (latest.now < now + 2_000) latest = await client.next();
        return latest.now;
      }),
    );
    const seconds = (Math.max(...last) - Math.min(...last)) / 1_000 + 3;
    expect(reads - before).toBeLessThanOrEqual(seconds + 1);
    // Once viewers have left, others may join.
    await Promise.all(clients.map((client) => client.close()));
    let again: Response;
    do {
      again = await fetch(url + path);
      await again.body?.cancel();
    } while (again.status !== 200);
  }, 120_000);
});
