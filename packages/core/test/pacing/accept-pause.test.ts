import { call } from '@headgate/test-kit/caller';
import { describe, expect, it } from 'vitest';
import type { FakeLoop } from './fake-loop.ts';
import { isGranted, scene } from './scene.ts';

/** An iteration of the loop that accepts a connection. */
function acceptOne(loop: FakeLoop, milliseconds = 1): void {
  loop.busy(milliseconds);
  loop.accept();
  loop.poll();
}

/** Accepts a connection in each iteration; returns after how many milliseconds the condition holds, or two seconds. */
function acceptUntil(loop: FakeLoop, condition: () => boolean, milliseconds = 1): number {
  const from = loop.now();
  while (!condition() && loop.now() < from + 2000) acceptOne(loop, milliseconds);
  return loop.now() - from;
}

describe('while connections are accepted', () => {
  it('starts nothing, for as long as the loop has worked on requests before', () => {
    const { loop, limiter, measure } = scene();
    measure(20);
    for (let index = 0; index < 2; index++) {
      loop.accept();
      call(limiter).permit?.release();
      loop.poll();
      loop.busy(20);
    }
    loop.accept();
    loop.poll();
    const caller = call(limiter);
    const waited = acceptUntil(loop, () => isGranted(caller));
    expect(waited).toBeGreaterThanOrEqual(20);
    expect(waited).toBeLessThanOrEqual(120);
  });

  it('holds requests back for at most 100 ms if the loop is busy with nothing else', () => {
    const { loop, limiter, measure } = scene();
    measure(20);
    for (let index = 0; index < 2; index++) {
      loop.accept();
      loop.busy(20);
      call(limiter).permit?.release();
      loop.poll();
    }
    const caller = call(limiter);
    const waited = acceptUntil(loop, () => isGranted(caller), 30);
    expect(waited).toBeGreaterThanOrEqual(60);
    expect(waited).toBeLessThanOrEqual(130);
  });

  it('holds requests back for at most 100 ms after a minute without requests', () => {
    const { loop, limiter, measure } = scene();
    measure(20);
    loop.rest(60_000);
    for (let index = 0; index < 2; index++) {
      call(limiter).permit?.release();
      acceptOne(loop);
    }
    const caller = call(limiter);
    expect(acceptUntil(loop, () => isGranted(caller))).toBeLessThan(110);
  });

  it('starts requests at once if a single connection was accepted', () => {
    const { loop, limiter, measure } = scene();
    measure(20);
    loop.accept();
    expect(call(limiter).permit).toBeDefined();
  });

  it('starts requests at once if a few connections are accepted in short iterations', () => {
    const { loop, limiter, measure } = scene();
    measure(1);
    loop.rest(1000);
    for (let index = 0; index < 5; index++) {
      expect(call(limiter).permit).toBeDefined();
      acceptOne(loop);
    }
  });
});
