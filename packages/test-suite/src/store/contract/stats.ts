import { expect, it } from 'vitest';
import type { StoreWorld } from '../store-world.ts';

export function stats(world: StoreWorld): void {
  it('says how a limit stands over all processes', async () => {
    const [one, two] = await world.pair({ limit: 3 });
    await one.acquire({ weight: 2 });
    const { version } = (await two.acquire()).reply;
    expect(await two.stats()).toEqual({
      ...{ limit: 3, version, inflight: 3, holders: 2, queued: 0, longestWait: 0 },
    });
    await two.acquire({ wait: 5000 });
    await one.acquire({ wait: 5000 });
    await world.elapse(30);
    const { longestWait, ...rest } = await one.stats();
    expect(rest).toEqual({ limit: 3, version, inflight: 3, holders: 2, queued: 2 });
    expect(longestWait).toBeGreaterThan(25);
    expect(longestWait).toBeLessThan(20_000);
  });

  it('says nothing of what has expired', async () => {
    const dying = await world.view({ expires: true });
    await dying.acquire();
    await dying.acquire({ wait: 50_000 });
    await world.outlive();
    expect(await dying.stats()).toMatchObject({ inflight: 0, holders: 0, queued: 0 });
  });

  it('knows nothing of a limit that nobody has asked for', async () => {
    const { process } = await world.view();
    expect(await process.store.stats({ name: world.name() })).toMatchObject({
      ...{ inflight: 0, holders: 0, queued: 0, longestWait: 0 },
    });
  });
}
