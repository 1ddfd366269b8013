import { call } from '@headgate/test-kit/caller';
import { VirtualClock } from '@headgate/test-suite';
import { expect, it } from 'vitest';
import { createLimiter } from '../src/index.ts';
import { Stall } from '../src/limits/stall.ts';
import type { BasePermit } from '../src/semaphore/permit.ts';
import { ScriptedLimit } from './scripted-limit.ts';

it('the time without work before a burst does not count as a stall of an adaptive limit', () => {
  const clock = new VirtualClock();
  const limit = new ScriptedLimit(5);
  const limiter = createLimiter({ limit, queueLimit: 0, clock });
  for (let bursts = 0; bursts < 3; bursts++) {
    const callers = Array.from({ length: 6 }, () => call(limiter));
    clock.advance(100);
    for (const { permit } of callers) permit?.release();
    clock.advance(60_000);
  }
  expect(limit.stalls).toEqual([]);
});

it('rejections while a limiter is paused do not count as a stall of its adaptive limit', () => {
  const clock = new VirtualClock();
  const limit = new ScriptedLimit(5);
  const limiter = createLimiter({ limit, queueLimit: 0, clock });
  const full = () => call(limiter);
  limiter.pause();
  for (let i = 0; i < 60; i++) {
    full();
    clock.advance(1_000);
  }
  limiter.resume();
  expect(limit.stalls).toEqual([]);
  for (let i = 0; i < 5; i++) call(limiter);
  full();
  expect(limit.stalls).toEqual([]);
});

/** A limiter of 8 of which `stuck` are held by requests that do not finish; the other ones take a tenth of a second. */
function advance({ stuck, outcome }: { stuck: number; outcome: 'ok' | 'ignored' }): number[] {
  const clock = new VirtualClock();
  const limit = new ScriptedLimit(8);
  const limiter = createLimiter({ limit, queueLimit: 0, clock });
  const first = call(limiter);
  clock.advance(100);
  first.permit?.release();
  for (let i = 0; i < stuck; i++) call(limiter);
  for (let time = 0; time < 4500; time += 100) {
    const others = Array.from({ length: 9 - stuck }, () => call(limiter));
    clock.advance(100);
    for (const { permit } of others) permit?.release(outcome);
  }
  return limit.stalls;
}

it.each(['ok', 'ignored'] as const)(
  'requests that finish as %s do not hide a stall of at least half the limit',
  (outcome) => {
    expect(advance({ stuck: 8, outcome })).toEqual([8, 8]);
    expect(advance({ stuck: 4, outcome })).toEqual([4, 4]);
    expect(advance({ stuck: 3, outcome })).toEqual([]);
  },
);

/** The time of the first stall after a limit of 30, of which `exports` are held for long, falls to 8; undefined if none. */
function firstStall(exports: number, warmUp: number): number | undefined {
  const clock = new VirtualClock();
  const limit = new ScriptedLimit(30);
  const limiter = createLimiter({ limit, queueLimit: 0, clock });
  const serve = () => {
    const quick = call(limiter);
    clock.advance(20);
    quick.permit?.release();
  };
  serve();
  const held = Array.from({ length: exports }, () => call(limiter));
  for (let time = 0; time < warmUp; time += 20) serve();
  limit.limit = 8;
  serve();
  const start = clock.now();
  while (limit.stalls.length === 0 && clock.now() - start < 30_000) {
    serve();
    // As they finish, the mean round trip rises, and with it the time after which other work would be stuck.
    if ((clock.now() - start) % 300 === 0) held.shift()?.permit?.release();
  }
  return limit.stalls.length === 0 ? undefined : clock.now() - start;
}

it('work admitted long before a drop keeps the limit low for at most three seconds', () => {
  expect(firstStall(25, 7000)).toBeLessThanOrEqual(3000);
  expect(firstStall(25, 4000)).toBeLessThanOrEqual(3000);
  expect(firstStall(3, 7000)).toBeUndefined();
});

it('a request is not stuck while it only waits for its client, or before its work begins', () => {
  const clock = new VirtualClock();
  const limit = new ScriptedLimit(2);
  const limiter = createLimiter({ limit, queueLimit: 0, clock });
  const held = [call(limiter), call(limiter)].map(({ permit }) => permit as BasePermit);
  call(limiter);
  clock.advance(900);
  for (const permit of held) {
    permit.pauseCounting();
    permit.countAgain();
  }
  clock.advance(200);
  call(limiter);
  expect(limit.stalls).toEqual([]);
  clock.advance(2000);
  call(limiter);
  expect(limit.stalls).toEqual([2]);
});

it('requests that are queued at a later limit are not stuck', () => {
  const stall = new Stall();
  stall.rejected(0, 6, 4);
  expect(stall.rejected(1000, 6, 4)).toBe(2);
  stall.left(1000, 2);
  expect(stall.rejected(2000, 6, 4)).toBe(0);
});

it('a request whose weight was lowered does not count as stuck with its former weight', () => {
  const clock = new VirtualClock();
  const limit = new ScriptedLimit(100);
  const limiter = createLimiter({ limit, queueLimit: 0, clock });
  for (let time = 0; time < 5000; time += 100) {
    const callers = Array.from({ length: 11 }, () => call(limiter, { weight: 10 }));
    clock.advance(100);
    for (const { permit } of callers) {
      permit?.adjust(4);
      permit?.release();
    }
  }
  expect(limit.stalls).toEqual([]);
});
