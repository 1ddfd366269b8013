import { expect, it } from 'vitest';
import { EXTRA_TOKENS, type LeaseProbe, longWait } from '../lease-probe.ts';
import type { StoreWorld } from '../store-world.ts';

export function lostState(world: StoreWorld): void {
  it('a renewal restores a lease even if other leases have been granted since the loss', async () => {
    const [one, two] = await world.pair({ limit: 2 });
    const held = await one.acquire({ weight: 2 });
    const { fencing } = held;
    await world.wipe();
    const newcomer = await two.acquire();
    expect(newcomer.reply).toMatchObject({ state: 'held', inflight: 1 });
    expect(await held.do('renew')).toMatchObject({ state: 'held', inflight: 3 });
    expect(held.fencing).toBe(fencing);
    const waiting = await two.acquire(longWait);
    expect(waiting.state).toBe('queued');
    expect(await newcomer.release()).toMatchObject({ inflight: 2, queued: 1 });
    expect(await held.release()).toMatchObject({ inflight: 1, queued: 0 });
    await waiting.granted();
  });

  it('a restored lease keeps the tokens that it has reserved', async () => {
    const [one, two] = await world.pair();
    const held = await one.acquire({ extraTokens: EXTRA_TOKENS });
    await world.wipe();
    expect((await held.do('renew')).state).toBe('held');
    await held.release();
    const { fencing } = await two.acquire();
    expect(fencing).toBeGreaterThan((held.fencing as bigint) + BigInt(EXTRA_TOKENS));
  });

  it('a renewal restores a lease that was granted after the state to which the store has returned', async () => {
    const one = await world.view();
    await one.acquire().then((first) => first.release());
    const granted = one.probe();
    granted.fencing = ((await one.acquire()).fencing as bigint) + BigInt(EXTRA_TOKENS);
    expect(await granted.do('renew')).toMatchObject({ state: 'held', inflight: 2 });
    expect(granted.reply.fencing).toBe(granted.fencing);
  });

  it('releasing a forgotten lease does not make the counts negative', async () => {
    const [one, two] = await world.pair();
    const held = await one.acquire();
    const waiting = await two.acquire(longWait);
    await world.wipe();
    expect(await held.release()).toMatchObject({ state: 'lost', inflight: 0, queued: 0 });
    expect(await waiting.release()).toMatchObject({ state: 'lost', inflight: 0, queued: 0 });
    expect((await one.acquire()).state).toBe('held');
    expect((await two.acquire()).state).toBe('full');
  });

  it('restored leases still expire', async () => {
    const dying = await world.view({ expires: true });
    const held = await dying.acquire();
    await world.wipe();
    expect((await held.do('renew')).state).toBe('held');
    await world.outlive();
    const others = await world.another(dying);
    expect((await others.acquire()).reply).toMatchObject({
      ...{ state: 'held', reclaimed: 1 },
    });
  });

  it('restores the latest declaration from any process that knows it', async () => {
    const [one, two] = await world.pair();
    await two.acquire();
    await one.setLimit(3);
    await world.wipe();
    expect((await two.acquire()).reply.limit).toBe(1);
    expect((await one.acquire()).reply).toMatchObject({ state: 'held', inflight: 2, limit: 3 });
    expect((await two.acquire()).reply).toMatchObject({ state: 'held', inflight: 3, limit: 3 });
  });

  it('restores a set limit even if a starting process declares its number first', async () => {
    const one = await world.view({ limit: 4 });
    await one.acquire();
    const { version } = await one.setLimit(2);
    await world.wipe();
    const started = await world.another(one, { limit: 4 });
    expect((await started.acquire()).reply).toMatchObject({ limit: 4, declared: [4] });
    const restored = await one.operate({});
    expect(restored).toMatchObject({ limit: 2, declared: [4] });
    expect(restored.version).not.toBe(version);
    expect(await started.operate({})).toMatchObject({ limit: 2, version: restored.version });
  });

  it('does not restore a set limit if a process has declared another number or cleared it since', async () => {
    const one = await world.view({ limit: 4 });
    const two = await world.another(one);
    const change = async (clear: () => Promise<unknown>) => {
      await one.setLimit(2);
      await world.wipe();
      await clear();
      return (await one.operate({})).limit;
    };
    expect(await change(() => two.setLimit(4))).toBe(4);
    expect(await change(async () => (await world.another(one, { limit: 5 })).acquire())).toBe(5);
  });

  it('preserves the order of waiters', async () => {
    const [one, two] = await world.pair();
    const held = await one.acquire();
    const [first, second] = [await two.acquire(longWait), await one.acquire(longWait)];
    await world.wipe();
    expect((await held.do('renew')).state).toBe('held');
    const newcomer = await two.acquire(longWait);
    expect((await second.do('stay')).state).toBe('queued');
    expect(await first.do('stay')).toMatchObject({ state: 'queued', queued: 3 });
    let last = held;
    for (const next of [first, second, newcomer]) {
      await last.release();
      await next.granted();
      expect(await one.stats()).toMatchObject({ inflight: 1 });
      last = next;
    }
  });

  // Places with one and with two digits, for example, must not be compared as text.
  it('preserves the order of more than ten waiters', async () => {
    const [one, two] = await world.pair();
    let last = await one.acquire();
    const waiters: LeaseProbe[] = [];
    for (let at = 0; at < 12; at++) waiters.push(await (at % 2 ? one : two).acquire(longWait));
    await world.wipe();
    expect((await last.do('renew')).state).toBe('held');
    for (const probe of waiters.toReversed()) {
      expect((await probe.do('stay')).state).toBe('queued');
    }
    for (const next of waiters) {
      await last.release();
      await next.granted();
      last = next;
    }
    expect(await one.stats()).toMatchObject({ inflight: 1, queued: 0 });
  });
}
