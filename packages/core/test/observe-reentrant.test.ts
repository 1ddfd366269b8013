import { call } from '@headgate/test-kit/caller';
import { describe, expect, it } from 'vitest';
import { createGate, createLimiter, type Observer } from '../src/index.ts';
import { ScriptedLimit } from './scripted-limit.ts';

/** An observer that records the kinds of its events. */
function recording() {
  const seen: string[] = [];
  const observer: Observer = {
    admitted: () => void seen.push('admitted'),
    released: () => void seen.push('released'),
    resized: () => void seen.push('resized'),
  };
  return { observer, kinds: () => seen.splice(0) };
}

describe('a callback that adds or removes observers', () => {
  it('ends the calls of a removed observer, even for the present event', () => {
    const limiter = createLimiter({ limit: 1 });
    let remove = () => {};
    limiter.observe({ admitted: () => remove() });
    const { observer, kinds } = recording();
    remove = limiter.observe(observer);
    limiter.tryAcquire()?.release();
    expect(kinds()).toEqual([]);
  });

  it('can remove its own observer; others still receive the event', () => {
    const limiter = createLimiter({ limit: 1 });
    const remove = limiter.observe({ admitted: () => remove() });
    const { observer, kinds } = recording();
    limiter.observe(observer);
    limiter.tryAcquire()?.release();
    expect(kinds()).toEqual(['admitted', 'released']);
  });

  it('can add an observer, which receives only later events', () => {
    const limiter = createLimiter({ limit: 1 });
    const { observer, kinds } = recording();
    const stop = limiter.observe({
      admitted() {
        stop();
        limiter.observe(observer);
      },
    });
    limiter.tryAcquire()?.release();
    expect(kinds()).toEqual(['released']);
  });

  it("can remove an observer of a gate while one of the gate's limits reports an event", () => {
    const gate = createGate({
      limits: [
        { name: 'user', limit: 1 },
        { name: 'app', limit: 1 },
      ],
    });
    const { observer, kinds } = recording();
    let remove = () => {};
    gate.observe({ resized: () => remove() });
    remove = gate.observe(observer);
    Object.values(gate.limiters)[0]?.setLimit(2);
    expect(kinds()).toEqual([]);
  });
});

it('the limits set by a chain of releases are reported in order', () => {
  const limits: number[] = [];
  const observer = { resized: ({ limit }: { limit: number }) => void limits.push(limit) };
  const limit = new ScriptedLimit(1);
  limit.onSample = () => void limit.limit++;
  const limiter = createLimiter({ limit, queueLimit: 1 });
  limiter.observe(observer);
  const held = limiter.tryAcquire();
  call(limiter, { onGranted: (permit) => permit.release() });
  held?.release();
  expect([limits, limiter.limit]).toEqual([[2, 3], 3]);
});
