import { expect, it } from 'vitest';
import { EXTRA_TOKENS, longWait } from '../lease-probe.ts';
import type { StoreWorld } from '../store-world.ts';

const extraTokens = EXTRA_TOKENS;
const extra = BigInt(extraTokens);

export function fencing(world: StoreWorld): void {
  it('each grant gets a token higher than all earlier tokens, including their extra tokens', async () => {
    const [one, two] = await world.pair();
    let held = await one.acquire({ extraTokens });
    let last = (held.reply.fencing as bigint) + extra;
    for (const view of [two, one, one, two, two]) {
      const next = await view.acquire({ extraTokens, ...longWait });
      expect(next.reply.fencing).toBeUndefined();
      await held.release();
      const { fencing } = await next.granted();
      expect(fencing).toBeGreaterThan(last);
      last = (fencing as bigint) + extra;
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

  it('tokens still increase after a lost lease', async () => {
    const dying = await world.view({ expires: true });
    const dead = await dying.acquire({ extraTokens });
    await world.outlive();
    const next = await (await world.another(dying)).acquire();
    expect(next.fencing).toBeGreaterThan((dead.fencing as bigint) + extra);
  });

  it('a lease that is acquired again after its expiry gets a new token', async () => {
    const dying = await world.view({ expires: true });
    const held = await dying.acquire();
    const { fencing } = held;
    await world.outlive();
    expect((await held.do('acquire')).fencing).toBeGreaterThan(fencing as bigint);
  });

  it('each grant of a batch gets its own token', async () => {
    const view = await world.view({ limit: 20 });
    const probes = Array.from({ length: 20 }, () => view.probe({ extraTokens }));
    const replies = await view.process.ask(probes.map((probe) => probe.op('acquire')));
    const tokens = replies.map(({ fencing }) => fencing as bigint);
    for (const [at, token] of tokens.entries()) {
      if (at > 0) expect(token).toBeGreaterThan((tokens[at - 1] as bigint) + extra);
    }
  });
}
