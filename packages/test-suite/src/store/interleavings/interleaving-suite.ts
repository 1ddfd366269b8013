import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Choices, everySequence, ListedChoices } from './choices.ts';
import type { InterleavingDriver } from './driver.ts';
import { InterleavingScene, type SceneOptions } from './scene.ts';

/** Steps of a run, before everything is brought to its end. */
const steps = 80;

/**
 * The network must not decide what becomes of a lease. Callers of one limit acquire, abort and release while their
 * messages arrive in every order that a network can bring about, and while connections fail: never are more permits
 * held than the limit; without a fault no permit is lost; in the end everything is released.
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
      minLength: steps / 4,
      maxLength: steps,
      size: 'max',
    });

    it.each([
      ['a well network', { limit: 1, callers: 6, faults: false }],
      ['a network that fails', { limit: 1, callers: 5, faults: true }],
      ['a limit of two and a network that fails', { limit: 2, callers: 6, faults: true }],
    ])('never grants more than the limit over %s', async (_, options) => {
      const property = fc.asyncProperty(choices, async (list) => {
        await run(driver, options, new ListedChoices(list), async (scene) => {
          for (const _ of list) await scene.step();
        });
      });
      await fc.assert(property, { numRuns: runs });
    });

    it('hands a permit over in whatever order messages arrive', async () => {
      const options = { limit: 1, callers: 2, faults: false };
      const handOver = (choices: Choices) =>
        run(driver, options, choices, (scene) => scene.handOver(0));
      await everySequence(handOver, 5 * runs);
    });

    it('hands a permit over while one connection fails', async () => {
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
  happen: (scene: InterleavingScene) => Promise<void>,
): Promise<void> {
  const scene = new InterleavingScene(driver, options, choices);
  try {
    await scene.start();
    await happen(scene);
    await scene.end();
  } finally {
    await scene.close();
  }
  expect([...scene.breaches], scene.trace.join('\n')).toEqual([]);
}
