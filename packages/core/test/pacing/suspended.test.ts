import { type Caller, call } from '@headgate/test-kit/caller';
import { expect, it } from 'vitest';
import { createLimiter, defaultLimit } from '../../src/index.ts';
import { FakeLoop } from './fake-loop.ts';
import { isGranted } from './scene.ts';

/** Fifty requests a second for some time, each of which waits for 20 ms. Returns them. */
function load(loop: FakeLoop, request: () => Caller, milliseconds: number): Caller[] {
  const callers: Caller[] = [];
  const running: { readonly caller: Caller; readonly end: number }[] = [];
  for (const end = loop.now() + milliseconds; loop.now() < end; loop.rest(1)) {
    if (loop.now() % 20 === 0) callers.push(request());
    for (const caller of callers)
      if (isGranted(caller) && !running.some((other) => other.caller === caller))
        running.push({ caller, end: loop.now() + 20 });
    for (const { caller, end: done } of running) if (done <= loop.now()) caller.permit?.release();
    loop.poll();
  }
  return callers;
}

it.each<[string, (loop: FakeLoop) => void]>([
  ['the process was suspended for two seconds while it was busy', (loop) => loop.busy(2000)],
  ['the process was suspended for two seconds while it was idle', (loop) => loop.rest(2000)],
  ['the process was suspended for a minute while it was busy', (loop) => loop.busy(60_000)],
  ['the clock jumped by a day', (loop) => loop.busy(86_400_000)],
])('a second after %s, all requests start at once', (_fault, happen) => {
  const loop = new FakeLoop();
  const limiter = createLimiter({ limit: defaultLimit({}, loop), clock: loop });
  const request = () => call(limiter);
  load(loop, request, 2000);
  // In flight and queued at the time of the fault.
  for (let count = 0; count < 20; count++) request().permit?.release();
  happen(loop);
  load(loop, request, 1000);
  const callers = load(loop, request, 1000);
  expect(callers).toHaveLength(50);
  expect(callers.every((caller) => isGranted(caller))).toBe(true);
  expect(Math.max(...callers.map(({ permit }) => permit?.waited ?? Infinity))).toBeLessThan(5);
});
