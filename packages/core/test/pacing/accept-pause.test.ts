import { describe, expect, it } from 'vitest';
import { call } from '../caller.ts';
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

/** Has connections wait for 300 ms behind long iterations; then no request is in flight. */
function waitBehindLongIterations({ loop, limiter, measure }: ReturnType<typeof scene>): void {
  measure(100, 30, 100);
  let next = call(limiter);
  for (let index = 0; index < 3; index++) {
    const { permit } = next;
    if (permit !== undefined) next = call(limiter);
    loop.accept();
    loop.busy(100);
    permit?.release();
    loop.poll();
  }
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

  it('starts nothing until all have been accepted, if they have waited behind long iterations', () => {
    const { loop, limiter, measure } = scene();
    waitBehindLongIterations({ loop, limiter, measure });
    for (let waited = 0; waited < 200; waited++) {
      call(limiter);
      acceptOne(loop);
    }
    expect(limiter.stats().inflight).toBe(0);
    loop.poll();
    expect(limiter.stats().inflight).toBeGreaterThan(0);
  });

  it('starts requests again after 250 ms, however many connections are opened', () => {
    const { loop, limiter, measure } = scene();
    waitBehindLongIterations({ loop, limiter, measure });
    call(limiter);
    const waited = acceptUntil(loop, () => limiter.stats().inflight > 0);
    expect(waited).toBeGreaterThan(200);
    expect(waited).toBeLessThan(300);
  });

  it('does not take idle time for the wait of connections', () => {
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

  it('starts few requests at once afterwards', () => {
    const { loop, limiter, measure } = scene();
    measure(3, 100, 100);
    const callers = Array.from({ length: 90 }, () => call(limiter));
    for (let index = 0; index < 20; index++) {
      loop.rest(10);
      loop.poll();
    }
    expect(callers.filter(isGranted).length).toBeGreaterThan(60);
    for (const { permit } of callers) permit?.release();
    for (let index = 0; index < 10; index++) {
      acceptOne(loop);
      if (index > 2) for (let count = 0; count < 10; count++) call(limiter);
    }
    expect(limiter.stats().inflight).toBe(0);
    loop.poll();
    expect(limiter.stats().inflight).toBeGreaterThan(0);
    expect(limiter.stats().inflight).toBeLessThan(20);
  });

  it('starts requests at once if a single connection was accepted', () => {
    const { loop, limiter, measure } = scene();
    measure(20);
    loop.accept();
    expect(call(limiter).permit).toBeDefined();
  });
});
