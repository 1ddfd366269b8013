import { expect, it } from 'vitest';
import type { StoreWorld } from '../store-world.ts';

const patient = { wait: 50_000 };

export function fencing(world: StoreWorld): void {
  if (!world.can.fencing) {
    it('gives none', async () => {
      expect((await (await world.view()).acquire()).reply.fencing).toBeUndefined();
    });
    return;
  }

  it('gives each who is let in a token above all before, with those that it spares', async () => {
    const [one, two] = await world.pair();
    let held = await one.acquire({ spare: 3 });
    let last = (held.reply.fencing as bigint) + 3n;
    for (const view of [two, one, one, two, two]) {
      const next = await view.acquire({ spare: 10, ...patient });
      expect(next.reply.fencing).toBeUndefined();
      await held.release();
      const { fencing } = await next.granted();
      expect(fencing).toBeGreaterThan(last);
      last = (fencing as bigint) + 10n;
      held = next;
    }
    await held.release();
    const { reply } = await two.acquire();
    expect(reply.fencing).toBeGreaterThan(last);
  });

  it('renews the token that a process has, and gives no lower one to who asks again', async () => {
    const [one, two] = await world.pair();
    const held = await one.acquire();
    const waiting = await two.acquire(patient);
    await held.release();
    const { fencing } = await waiting.granted();
    expect((await waiting.do('renew')).fencing).toBe(fencing);
    expect((await waiting.do('stay')).fencing).toBeGreaterThanOrEqual(fencing as bigint);
    const known = waiting.fencing;
    expect((await waiting.do('acquire')).fencing).toBeGreaterThanOrEqual(known as bigint);
    await waiting.release();
    expect((await one.acquire()).fencing).toBeGreaterThan(waiting.fencing as bigint);
  });

  it('rises after a lease has been lost', async () => {
    const dying = await world.view({ expires: true });
    const dead = await dying.acquire({ spare: 5 });
    await world.outlive();
    const next = await (await world.another(dying)).acquire();
    expect(next.fencing).toBeGreaterThan((dead.fencing as bigint) + 5n);
  });

  it('gives each of a batch its own', async () => {
    const view = await world.view({ limit: 20 });
    const claims = Array.from({ length: 20 }, () => view.claim({ spare: 2 }));
    const replies = await view.process.ask(claims.map((claim) => claim.op('acquire')));
    const tokens = replies.map(({ fencing }) => fencing as bigint);
    for (const [at, token] of tokens.entries()) {
      if (at > 0) expect(token).toBeGreaterThan((tokens[at - 1] as bigint) + 2n);
    }
  });
}
