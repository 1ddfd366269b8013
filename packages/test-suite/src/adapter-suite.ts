import { afterEach, describe } from 'vitest';
import { contract } from './contract/index.ts';
import type { Framework } from './framework.ts';
import { World } from './kit/world.ts';

/** Topics that show whether a version of a framework fits at all: for the oldest that an adapter supports. */
export const basicTopics: readonly string[] = [
  'admission',
  'rejection',
  'releases',
  'streams',
  'connections',
  'routes',
  'header fields',
  'rejected work of a handler',
];

/**
 * What every adapter promises, as tests on real servers with real sockets. After each test nothing is in flight
 * or queued.
 */
export function adapterSuite(framework: Framework, topics?: readonly string[]): void {
  describe(framework.name, { timeout: 15_000 }, () => {
    for (const [topic, promises] of Object.entries(contract)) {
      // What the framework cannot do is no promise.
      if (topic === 'HTTP/2' && !framework.can.http2) continue;
      if (topics?.includes(topic) === false) continue;
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
