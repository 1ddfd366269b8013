import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Choices, everySequence, ListedChoices } from './choices.ts';
import type { InterleavingDriver } from './driver.ts';
import { InterleavingScene, type SceneOptions } from './scene.ts';

/** Maximum number of steps after which a run is completed without further choices. */
const MAX_STEPS = 80;

/**
 * Checks that the order of messages never affects a lease. Callers of one limit acquire, abort and release permits.
 * Meanwhile their messages arrive in every order that a network can cause, connections fail, and the limit is operated.
 * The held permits must never exceed the limit, nothing may be granted while the limit is paused or rejecting, no permit
 * may be lost without a fault, and in the end everything must be released.
 */
export function interleavingSuite(driver: InterleavingDriver): void {
  describe(`${driver.name}: interleavings`, { timeout: 300_000 }, () => {
    if (driver.elapse === undefined) {
      beforeEach(() => {
        vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
      });
      afterEach(() => void vi.useRealTimers());
    }
    const { runs = 200 } = driver;
    const choices = fc.array(fc.nat(999), {
      minLength: MAX_STEPS / 4,
      maxLength: MAX_STEPS,
      size: 'max',
    });

    it.each([
      ['a healthy network', { limit: 1, callers: 6, faults: false }],
      ['a failing network', { limit: 1, callers: 5, faults: true }],
      ['a limit of two and a failing network', { limit: 2, callers: 6, faults: true }],
      [
        'a healthy network, while operated',
        { limit: 1, callers: 8, faults: false, operates: true },
      ],
      ['a failing network, while operated', { limit: 2, callers: 8, faults: true, operates: true }],
    ])('never grants more than the limit over %s', async (_, options) => {
      const property = fc.asyncProperty(choices, async (list) => {
        await run(driver, options, new ListedChoices(list), async (scene) => {
          for (const _ of list) await scene.step();
        });
      });
      await fc.assert(property, { numRuns: runs });
    });

    it('passes a permit on for every order of messages', async () => {
      const options = { limit: 1, callers: 2, faults: false };
      const handOver = (choices: Choices) =>
        run(driver, options, choices, (scene) => scene.handOver(0));
      await everySequence(handOver, 5 * runs);
    });

    it('passes a permit on while one connection fails', async () => {
      const options = { limit: 1, callers: 2, faults: true };
      const property = fc.asyncProperty(choices, async (list) => {
        await run(driver, options, new ListedChoices(list), (scene) => scene.handOver(1));
      });
      await fc.assert(property, { numRuns: runs });
    });
  });
}

async function run(
  driver: InterleavingDriver,
  options: SceneOptions,
  choices: Choices,
  runSteps: (scene: InterleavingScene) => Promise<void>,
): Promise<void> {
  const scene = new InterleavingScene(driver, options, choices);
  try {
    await scene.start();
    await runSteps(scene);
    await scene.end();
  } finally {
    await scene.close();
  }
  expect([...scene.breaches], scene.trace.join('\n')).toEqual([]);
}
