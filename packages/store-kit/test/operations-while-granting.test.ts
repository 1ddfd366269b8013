import { createLimiter, type Limiter, Waiter } from '@headgate/core';
import { expect, test } from 'vitest';
import { outcome, scene, settled } from './world.ts';

test.each([
  ['pause', (limiter: Limiter) => limiter.pause(), (limiter: Limiter) => limiter.resume()],
  [
    'setLimit',
    (limiter: Limiter) => limiter.setLimit(1),
    (limiter: Limiter) => limiter.setLimit(2),
  ],
] as const)(
  'a permit released right before a %s, while others are granted, is not passed to a waiter',
  async (_name, operate, revert) => {
    const { limiter } = scene({ limit: 2, handoff: 5 });
    const [held] = await Promise.all([limiter.acquire(), limiter.acquire()]);
    const waiting = outcome(limiter.acquire());
    await settled();
    const local = createLimiter({ name: 'local', limit: 1, queueLimit: 1, queueTimeout: 1_000 });
    const first = await local.acquire();
    // Grants of all limits have one loop: the released permit is passed on only after this callback.
    class Operating extends Waiter {
      granted() {
        held.release();
        operate(limiter);
      }
      rejected() {}
    }
    local.request(new Operating());
    first.release();
    await settled();
    expect(waiting).toEqual({});
    revert(limiter);
    await settled();
    expect(waiting.permit).toBeDefined();
  },
);
