import { expect, it } from 'vitest';
import { patient } from '../claim.ts';
import type { StoreWorld } from '../store-world.ts';

export function batches(world: StoreWorld): void {
  it('does what concerns one limit in order, and answers in order', async () => {
    const view = await world.view();
    const other = world.beside(view, undefined, { limit: 2 });
    const [first, second, third] = [view.claim(), view.claim(patient), view.claim()];
    const [elsewhere, beside] = [other.claim(), other.claim()];
    const replies = await view.process.ask([
      ...[first.op('acquire'), elsewhere.op('acquire'), second.op('acquire')],
      ...[third.op('acquire'), first.op('release'), beside.op('acquire')],
      ...[second.op('stay'), second.op('release'), third.op('acquire'), elsewhere.op('release')],
    ]);
    // Whether who joined the line is told at once that it has been let in since is up to the store.
    expect(replies.map(({ state }) => state)).toEqual([
      ...['held', 'held', expect.stringMatching(/^(queued|held)$/), 'full', 'ok', 'held'],
      ...['held', 'ok', 'held', 'ok'],
    ]);
    expect(replies.at(-2)).toMatchObject({ inflight: 1, queued: 0 });
    expect(replies.at(-1)).toMatchObject({ inflight: 1, queued: 0 });
  });

  it('answers nothing to nothing', async () => {
    expect(await (await world.process()).send([])).toEqual([]);
  });

  it('does thousands at once', async () => {
    const view = await world.view({ limit: 2000 });
    const claims = Array.from({ length: 3000 }, () => view.claim({ ...patient, queueLimit: 700 }));
    const replies = await view.process.ask(claims.map((claim) => claim.op('acquire')));
    const states = replies.map(({ state }) => state);
    expect(states).toEqual([
      ...Array(2000).fill('held'),
      // Where the store leaves it to each process how many may wait, it lets all of them.
      ...Array(700).fill('queued'),
      ...Array(300).fill(world.can.queueLimit ? 'full' : 'queued'),
    ]);
    const released = await view.process.ask(claims.map((claim) => claim.op('release')));
    expect(released.at(-1)).toMatchObject({ inflight: 0, queued: 0 });
  });

  it('does all that is asked at once from several sides', async () => {
    const [one, two] = await world.pair({ limit: 5 });
    const turns = Array.from({ length: 200 }, async (_, at) => {
      const claim = (at % 2 ? one : two).claim({ ...patient, queueLimit: 500 });
      await claim.do('acquire');
      expect(claim.reply.inflight).toBeLessThanOrEqual(5);
      if (claim.state === 'queued') await claim.granted();
      expect((await claim.release()).state).toBe('ok');
    });
    await Promise.all(turns);
    expect(await one.stats()).toMatchObject({ inflight: 0, holders: 0, queued: 0 });
  });
}
