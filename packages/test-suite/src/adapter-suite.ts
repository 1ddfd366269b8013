import { onBun, onWorkers } from '@headgate/core';
import { afterEach, describe } from 'vitest';
import { contract } from './contract/index.ts';
import type { FrameworkDriver } from './framework.ts';
import { World } from './kit/world.ts';

/** The topics for the oldest versions that an adapter supports. They show whether a framework version works at all. */
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

/** Milliseconds for the checks after a test. Must be longer than `counts` waits for a permit to be released. */
const HOOK_TIMEOUT = 15_000;

/**
 * The contract of every adapter, as tests on real servers with real sockets. Each test ends by checking that nothing
 * is in flight or queued, and that no unexpected error has reached the framework's error handling.
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

const isNode = !(onBun || onWorkers() || 'Deno' in globalThis);

/** Whether the framework can do what a topic requires. */
function applies(topic: string, { can }: FrameworkDriver): boolean {
  if (topic === 'HTTP/2') return can.http2;
  // Only Node shows which request has made a call.
  if (topic === 'calls of the app to itself') return can.seesConnections !== false && isNode;
  if (topic === 'latency baselines') return can.knowsRoutes !== false;
  if (['connections', 'uploads', 'rejected uploads'].includes(topic))
    return can.seesConnections !== false;
  const ofFormats = ['formats of a rejection', 'limiters used inside a handler'];
  return can.formatsRejections !== false || !ofFormats.includes(topic);
}

/** Creates the suite's world for an adapter's own tests, with the same checks and cleanup after each test. */
export function worldOfEachTest(framework: FrameworkDriver): World {
  const world = new World(framework);
  afterEach(async ({ task }) => {
    try {
      // Skipped after a failed test, which would fail here again and hide its own error.
      if (task.result?.state !== 'fail') await world.quiet();
    } finally {
      await world.clear();
    }
  }, HOOK_TIMEOUT);
  return world;
}
