import { afterEach, describe } from 'vitest';
import { contract } from './contract/index.ts';
import type { Framework } from './framework.ts';
import { World } from './kit/world.ts';

/**
 * What every adapter promises, as tests on real servers with real sockets. After each test nothing is in flight
 * and nobody waits.
 */
export function adapterSuite(framework: Framework): void {
  describe(framework.name, { timeout: 15_000 }, () => {
    for (const [topic, promises] of Object.entries(contract)) {
      // What the framework cannot do is no promise.
      if (topic === 'HTTP/2' && !framework.can.http2) continue;
      describe(topic, () => promises(worldOfEachTest(framework)));
    }
  });
}

/** For the tests that an adapter has besides the suite: the same world, checked and cleared in the same way. */
export function worldOfEachTest(framework: Framework): World {
  const world = new World(framework);
  afterEach(async ({ task }) => {
    try {
      // A failed test has said enough.
      if (task.result?.state !== 'fail') await world.quiet();
    } finally {
      await world.clear();
    }
  });
  return world;
}
