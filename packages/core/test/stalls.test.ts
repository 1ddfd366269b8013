import { VirtualClock } from '@headgate/test-suite';
import { expect, it } from 'vitest';
import { createLimiter } from '../src/index.ts';
import { call } from './caller.ts';
import { ScriptedLimit } from './scripted-limit.ts';

it('the time without work before a burst does not count as a stall of an adaptive limit', () => {
  const clock = new VirtualClock();
  const limit = new ScriptedLimit(5);
  const limiter = createLimiter({ limit, clock });
  for (let bursts = 0; bursts < 3; bursts++) {
    const callers = Array.from({ length: 6 }, () => call(limiter));
    clock.advance(100);
    for (const { permit } of callers) permit?.release();
    clock.advance(60_000);
  }
  expect(limit.stalls).toBe(0);
});

it('rejections while a limiter is paused do not count as a stall of its adaptive limit', () => {
  const clock = new VirtualClock();
  const limit = new ScriptedLimit(5);
  const limiter = createLimiter({ limit, clock });
  const full = () => call(limiter);
  limiter.pause();
  for (let i = 0; i < 60; i++) {
    full();
    clock.advance(1_000);
  }
  limiter.resume();
  expect(limit.stalls).toBe(0);
  for (let i = 0; i < 5; i++) call(limiter);
  full();
  expect(limit.stalls).toBe(0);
});
