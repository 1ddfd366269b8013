import { call } from '@headgate/test-kit/caller';
import { expect, it } from 'vitest';
import { createLimiter, defaultLimit } from '../../src/index.ts';
import { FakeLoop } from './fake-loop.ts';
import { isGranted } from './scene.ts';

/** Time passes between any two readings of it, as in a process. */
class PassingLoop extends FakeLoop {
  #passed = 0;

  override now(): number {
    this.#passed += 0.05;
    return super.now() + this.#passed;
  }
}

it.each([0.2, 0.3, 0.5, 0.7, 1.1])(
  'no request waits for an event once it may start: %d ms per turn',
  (turn) => {
    const loop = new PassingLoop();
    const limit = defaultLimit({ min: 200, max: 200, initial: 200 }, loop);
    const limiter = createLimiter({ limit, clock: loop });
    const callers = Array.from({ length: 90 }, () => call(limiter));
    let started = 0;
    for (let startedAt = 0; started < callers.length; ) {
      loop.rest(turn);
      loop.poll();
      const isNew = callers.filter(isGranted).length > started;
      if (isNew) startedAt = loop.now();
      started = callers.filter(isGranted).length;
      expect(loop.now() - startedAt).toBeLessThan(50);
    }
  },
);
