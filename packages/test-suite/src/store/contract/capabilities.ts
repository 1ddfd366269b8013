import { Store } from '@headgate/store-kit';
import { expect, it } from 'vitest';
import type { StoreWorld } from '../store-world.ts';

export function capabilities(world: StoreWorld): void {
  it('declares its capabilities and its lease duration', async () => {
    const { store } = await world.process(true);
    expect(store).toBeInstanceOf(Store);
    expect(store.can).toEqual(world.can);
    expect(store).toMatchObject({ leaseDuration: world.lease, timeout: world.lease / 3 });
  });

  it('has a unique owner without a dot', async () => {
    const processes = [await world.process(), await world.process(), await world.process()];
    const owners = processes.map(({ store }) => store.owner);
    expect(new Set(owners).size).toBe(3);
    for (const owner of owners) expect(owner).toMatch(/^[^.]+$/);
  });
}
