import { afterEach, describe } from 'vitest';
import { contract } from './contract/index.ts';
import type { FrameworkDriver } from './framework.ts';
import { World } from './kit/world.ts';

/**
 * The topics that show whether a framework version works at all, for the oldest versions that an adapter supports.
 */
export const basicTopics: readonly string[] = [
  'admission',
  'rejection',
  'formats of a rejection',
  'releases',
  'streams',
  'connections',
  'routes',
  'latency baselines',
  'header fields',
  'limiters used inside a handler',
];

/**
 * The contract of every adapter, as tests on real servers with real sockets. Each test ends by checking that nothing
 * is in flight or queued.
 */
export function adapterSuite(framework: FrameworkDriver, topics?: readonly string[]): void {
  describe(framework.name, { timeout: 15_000 }, () => {
    for (const [topic, defineTests] of Object.entries(contract)) {
      if (!applies(topic, framework)) continue;
      if (topics?.includes(topic) === false) continue;
      describe(topic, () => defineTests(worldOfEachTest(framework)));
    }
  });
}

/** The contract does not require what the framework cannot do. */
function applies(topic: string, { can }: FrameworkDriver): boolean {
  if (topic === 'HTTP/2') return can.http2;
  if (topic === 'latency baselines') return can.knowsRoutes !== false;
  const ofFormats = ['formats of a rejection', 'limiters used inside a handler'];
  return can.formatsRejections !== false || !ofFormats.includes(topic);
}

/** For an adapter's own tests: the same world as in the suite, with the same checks and cleanup after each test. */
export function worldOfEachTest(framework: FrameworkDriver): World {
  const world = new World(framework);
  afterEach(async ({ task }) => {
    try {
      // A failed test would fail again here, which would hide its own error.
      if (task.result?.state !== 'fail') await world.quiet();
    } finally {
      await world.clear();
    }
  });
  return world;
}
