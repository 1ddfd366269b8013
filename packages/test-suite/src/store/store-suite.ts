import { afterEach, describe } from 'vitest';
import { contractOf } from './contract/index.ts';
import type { StoreDriver } from './driver.ts';
import { StoreWorld } from './store-world.ts';

/** The contract of every store for distributed limits, as tests with several stores on one state. */
export function storeSuite(driver: StoreDriver): void {
  describe(driver.name, { timeout: 30_000 }, () => {
    const world = new StoreWorld(driver);
    afterEach(() => world.clear());
    for (const [topic, defineTests] of contractOf(world)) describe(topic, () => defineTests(world));
  });
}
