import { expect, it } from 'vitest';
import { longWait } from '../lease-probe.ts';
import type { StoreWorld } from '../store-world.ts';

export function fencing(world: StoreWorld): void {
  if (!world.can.fencing) {
    it('a store without fencing gives no tokens', async () => {
      expect((await (await world.view()).acquire()).reply.fencing).toBeUndefined();
    });
    return;
  }

  it('each grant gets a token above all earlier tokens and spare tokens', async () => {
    const [one, two] = await world.pair();
    let held = await one.acquire({ spare: 3 });
    let last = (held.reply.fencing as bigint) + 3n;
    for (const view of [two, one, one, two, two]) {
      const next = await view.acquire({ spare: 10, ...longWait });
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

  it('a renewal or a repeated request never lowers the token', async () => {
    const [one, two] = await world.pair();
    const held = await one.acquire();
    const waiting = await two.acquire(longWait);
    await held.release();
    const { fencing } = await waiting.granted();
    expect((await waiting.do('renew')).fencing).toBe(fencing);
    expect((await waiting.do('stay')).fencing).toBeGreaterThanOrEqual(fencing as bigint);
    const known = waiting.fencing;
    expect((await waiting.do('acquire')).fencing).toBeGreaterThanOrEqual(known as bigint);
    await waiting.release();
    expect((await one.acquire()).fencing).toBeGreaterThan(waiting.fencing as bigint);
  });

  it('tokens still rise after a lost lease', async () => {
    const dying = await world.view({ expires: true });
    const dead = await dying.acquire({ spare: 5 });
    await world.outlive();
    const next = await (await world.another(dying)).acquire();
    expect(next.fencing).toBeGreaterThan((dead.fencing as bigint) + 5n);
  });

  it('each grant of a batch gets its own token', async () => {
    const view = await world.view({ limit: 20 });
    const probes = Array.from({ length: 20 }, () => view.probe({ spare: 2 }));
    const replies = await view.process.ask(probes.map((probe) => probe.op('acquire')));
    const tokens = replies.map(({ fencing }) => fencing as bigint);
    for (const [at, token] of tokens.entries()) {
      if (at > 0) expect(token).toBeGreaterThan((tokens[at - 1] as bigint) + 2n);
    }
  });
}
