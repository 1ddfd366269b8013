import { map } from '@headgate/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Isolates } from './isolates.ts';

describe('a limit of 2 in two isolates', () => {
  let isolates: Isolates;

  beforeAll(async () => {
    isolates = await Isolates.start();
  });
  afterAll(() => isolates.server.stop());

  it('admits two requests at once over both isolates, and grants the others in turn', async () => {
    const calls = Array.from({ length: 12 }, (_, index) => Isolates.names[index % 2] ?? 'one');
    let most = 0;
    const answers = calls.map((isolate) => isolates.call(isolate, '/work/100').answer());
    const watching = (async () => {
      for (let look = 0; look < 20; look++) {
        most = Math.max(most, (await isolates.stats()).inflight);
      }
    })();
    for (const answer of await Promise.all(answers)) expect(answer).toMatchObject({ status: 200 });
    await watching;
    expect(most).toBe(2);
    await isolates.counts(0);
  });

  it('passes a released permit to a waiter of the other isolate', async () => {
    const holders = [1, 2].map(() => isolates.raw('one', '/stream'));
    await isolates.counts(2);
    const waiter = isolates.call('two', '/work/1').answer();
    await isolates.counts(2, 1);
    holders[0]?.socket.resetAndDestroy();
    expect(await waiter).toMatchObject({ status: 200, body: 'done' });
    holders[1]?.socket.resetAndDestroy();
    await isolates.counts(0);
  });

  it('renews the lease of a request that runs longer than the lease', async () => {
    const holders = Isolates.names.map((isolate) => isolates.call(isolate, '/work/7500').answer());
    await isolates.counts(2);
    await new Promise((resolve) => setTimeout(resolve, 6500));
    expect(await isolates.stats()).toMatchObject({ inflight: 2 });
    for (const answer of await Promise.all(holders)) expect(answer).toMatchObject({ status: 200 });
    await isolates.counts(0);
  });

  it('loses no permit of clients that disconnect', { timeout: 60_000 }, async () => {
    const statuses = new Set<string>();
    const abort = async (_: unknown, index: number) => {
      const path = index % 3 === 0 ? '/stream' : '/work/20';
      const client = isolates.raw(Isolates.names[index % 2] ?? 'one', path);
      await new Promise((resolve) => setTimeout(resolve, (index * 7) % 250));
      for (const status of client.statuses) statuses.add(status);
      client.socket.resetAndDestroy();
    };
    await map(Array.from({ length: 200 }), abort, { limit: 15 });
    await isolates.counts(0);
    expect([...statuses]).toEqual(['200']);
    for (const name of Isolates.names) {
      expect(await isolates.stats(name)).toMatchObject({ own: 0 });
    }
  });
});
