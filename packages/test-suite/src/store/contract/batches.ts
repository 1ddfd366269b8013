import { expect, it } from 'vitest';
import { longWait } from '../lease-probe.ts';
import type { StoreWorld } from '../store-world.ts';

export function batches(world: StoreWorld): void {
  it('applies operations on one limit in order, and replies in order', async () => {
    const view = await world.view();
    const other = world.beside(view, undefined, { limit: 2 });
    const [first, second, third] = [view.probe(), view.probe(longWait), view.probe()];
    const [elsewhere, beside] = [other.probe(), other.probe()];
    const replies = await view.process.ask([
      ...[first.op('acquire'), elsewhere.op('acquire'), second.op('acquire')],
      ...[third.op('acquire'), first.op('release'), beside.op('acquire')],
      ...[second.op('stay'), second.op('release'), third.op('acquire'), elsewhere.op('release')],
    ]);
    // The store may report immediately, but need not, that a lease enqueued in this batch is already granted.
    expect(replies.map(({ state }) => state)).toEqual([
      ...['held', 'held', expect.stringMatching(/^(queued|held)$/), 'full', 'ok', 'held'],
      ...['held', 'ok', 'held', 'ok'],
    ]);
    expect(replies.at(-2)).toMatchObject({ inflight: 1, queued: 0 });
    expect(replies.at(-1)).toMatchObject({ inflight: 1, queued: 0 });
  });

  it('replies to an empty batch with an empty list', async () => {
    expect(await (await world.process()).send([])).toEqual([]);
  });

  it('applies thousands of operations at once', async () => {
    const view = await world.view({ limit: 2000 });
    const probes = Array.from({ length: 3000 }, () => view.probe({ ...longWait, queueLimit: 700 }));
    const replies = await view.process.ask(probes.map((probe) => probe.op('acquire')));
    const states = replies.map(({ state }) => state);
    expect(states).toEqual([
      ...Array(2000).fill('held'),
      // Stores that leave queue limits to the processes admit all of them to the queue.
      ...Array(700).fill('queued'),
      ...Array(300).fill('full'),
    ]);
    const released = await view.process.ask(probes.map((probe) => probe.op('release')));
    expect(released.at(-1)).toMatchObject({ inflight: 0, queued: 0 });
  });

  it('applies all operations that several processes send concurrently', async () => {
    const [one, two] = await world.pair({ limit: 5 });
    const turns = Array.from({ length: 200 }, async (_, at) => {
      const probe = (at % 2 ? one : two).probe({ ...longWait, queueLimit: 500 });
      await probe.do('acquire');
      expect(probe.reply.inflight).toBeLessThanOrEqual(5);
      if (probe.state === 'queued') await probe.granted();
      expect((await probe.release()).state).toBe('ok');
    });
    await Promise.all(turns);
    expect(await one.stats()).toMatchObject({ inflight: 0, holders: 0, queued: 0 });
  });
}
