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
    const holders = Isolates.names.map((isolate) => isolates.raw(isolate, '/stream'));
    await isolates.counts(2);
    const calls = Array.from({ length: 10 }, (_, index) => Isolates.names[index % 2] ?? 'one');
    const answers = calls.map((isolate) => isolates.call(isolate, '/work/50').answer());
    await isolates.counts(2, 10);
    for (const { socket } of holders) socket.resetAndDestroy();
    let isDone = false;
    const watching = (async () => {
      while (!isDone) expect((await isolates.stats()).inflight).toBeLessThanOrEqual(2);
    })();
    for (const answer of await Promise.all(answers)) expect(answer).toMatchObject({ status: 200 });
    isDone = true;
    await watching;
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
    const holders = Isolates.names.map((isolate) => isolates.raw(isolate, '/stream'));
    await isolates.counts(2);
    // The lease itself has to pass; the holders end only afterwards, however busy the machine is.
    await new Promise((resolve) => setTimeout(resolve, 6500));
    expect(await isolates.stats()).toMatchObject({ inflight: 2 });
    for (const { socket } of holders) socket.resetAndDestroy();
    await isolates.counts(0);
  });

  it('loses no permit of clients that disconnect', { timeout: 60_000 }, async () => {
    const statuses = new Set<string>();
    const abort = async (_: unknown, index: number) => {
      const path = index % 3 === 0 ? '/stream' : '/work/20';
      const client = isolates.raw(Isolates.names[index % 2] ?? 'one', path);
      // Some disconnect once they are answered, however long that takes; others after a given time, wherever their request is.
      if (index % 4 === 0) await client.receives(/HTTP/);
      else await new Promise((resolve) => setTimeout(resolve, (index * 7) % 250));
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
