import { describe, expect, it } from 'vitest';
import type { BasePermit } from '../../src/semaphore/permit.ts';
import { call } from '../caller.ts';
import { isGranted, scene } from './paced-scene.ts';

describe('a request that has waited for a second of idle time', () => {
  /** One that does not count any more, and another one that does. */
  const forgotten = () => {
    const { loop, limiter, measure } = scene();
    measure(100);
    const first = call(limiter);
    loop.rest(1500);
    const second = call(limiter);
    for (let elapsed = 0; elapsed < 3; elapsed++) {
      loop.rest(1);
      loop.poll();
    }
    expect([first, second].map(isGranted)).toEqual([true, true]);
    /** Whether the next request is held back, as long as others compute. */
    const holdsBack = () => {
      const next = call(limiter);
      loop.busy(10);
      loop.poll();
      return !isGranted(next);
    };
    return { first: first.permit as BasePermit, second: second.permit as BasePermit, holdsBack };
  };

  it('is not subtracted again when its body arrives', () => {
    const { first, holdsBack } = forgotten();
    first.pauseCounting();
    expect(holdsBack()).toBe(true);
  });

  it('counts again once its body has arrived', () => {
    const { first, second, holdsBack } = forgotten();
    first.pauseCounting();
    second.release();
    first.countAgain();
    expect(holdsBack()).toBe(true);
  });
});
