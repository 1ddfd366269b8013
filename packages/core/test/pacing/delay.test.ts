import { type Caller, call } from '@headgate/test-kit/caller';
import { expect, it } from 'vitest';
import { createLimiter, defaultLimit } from '../../src/index.ts';
import { FakeLoop } from './fake-loop.ts';
import { isGranted } from './scene.ts';

it('the time for which a busy loop delays requests does not lower the limit', () => {
  const loop = new FakeLoop();
  const limiter = createLimiter({ limit: defaultLimit({}, loop), clock: loop });
  let callers: Caller[] = [];
  /** Handlers wait for a timer of 1 ms, and keep the loop busy for 0.02 ms. Each client sends its next request at once. */
  const serve = (clients: number, seconds: number) => {
    for (const end = loop.now() + 1000 * seconds; loop.now() < end; loop.poll()) {
      const dueAt = loop.now() + 1;
      while (callers.length < clients) callers.push(call(limiter));
      const started = callers.filter(isGranted);
      for (const { permit } of started) {
        loop.busy(0.02);
        permit?.release();
      }
      callers = callers.filter((caller) => !started.includes(caller));
      loop.rest(Math.max(0, dueAt - loop.now()));
    }
  };
  serve(1, 2);
  serve(500, 3);
  expect(limiter.limit).toBeGreaterThan(200);
});
