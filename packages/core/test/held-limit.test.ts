import { memoryStore } from '@headgate/store-kit/memory-store';
import { call } from '@headgate/test-kit/caller';
import { VirtualClock } from '@headgate/test-suite';
import { describe, expect, it } from 'vitest';
import { createLimiter } from '../src/index.ts';
import { ScriptedLimit } from './scripted-limit.ts';

describe('an adaptive limit that setLimit() holds', () => {
  function adaptiveScene() {
    const clock = new VirtualClock();
    const limit = new ScriptedLimit(5);
    const limiter = createLimiter({ limit, queueLimit: 5, clock });
    const work = () => call(limiter).permit;
    return { clock, limit, limiter, work };
  }

  it('keeps the number, and passes no samples to its algorithm', () => {
    const { limit, limiter, work } = adaptiveScene();
    expect(limiter.isFixed).toBe(false);
    limiter.setLimit(3);
    expect([limiter.limit, limiter.isFixed]).toEqual([3, true]);
    limit.limit = 9;
    work()?.release();
    expect([limiter.limit, limit.samples.length]).toEqual([3, 0]);
    limiter.setLimit(4);
    expect(limiter.limit).toBe(4);
  });

  it.each([0, 1.5, 'Adaptive', undefined])('refuses %s and adapts as before', (value) => {
    const { limit, limiter, work } = adaptiveScene();
    expect(() => limiter.setLimit(value as number)).toThrow(
      expect.objectContaining({
        code: 'ERR_HEADGATE_OPTION',
        option: 'limit',
        message: expect.stringMatching(
          /^limit must be a whole number of at least 1, or "adaptive", got /,
        ),
      }),
    );
    limit.limit = 9;
    work()?.release();
    expect([limiter.limit, limiter.isFixed]).toEqual([9, false]);
  });

  it("keeps the algorithm's value if a waiter admitted by setLimit() lets it adapt again", () => {
    const { limit, limiter, work } = adaptiveScene();
    limiter.setLimit(1);
    work();
    limit.limit = 2;
    const waiting = call(limiter, { onGranted: () => limiter.setLimit('adaptive') });
    limiter.setLimit(9);
    expect([waiting.answers, limiter.limit]).toEqual([1, 2]);
  });

  it('is not changed by the sample during which it was set', () => {
    const { limit, limiter, work } = adaptiveScene();
    limit.onSample = () => {
      limit.limit = 20;
      limiter.setLimit(3);
    };
    work()?.release();
    expect([limiter.isFixed, limiter.limit]).toEqual([true, 3]);
  });

  it("returns to the algorithm's own value at once, and admits the waiters that then fit", () => {
    const { limit, limiter, work } = adaptiveScene();
    limiter.setLimit(1);
    work();
    const waiting = [call(limiter), call(limiter)];
    limit.limit = 4;
    limiter.setLimit('adaptive');
    expect([limiter.limit, limiter.isFixed]).toEqual([4, false]);
    expect(waiting.map(({ answers }) => answers)).toEqual([1, 1]);
  });

  it('does not pass on samples of work that was admitted while it was held', () => {
    const { clock, limit, limiter, work } = adaptiveScene();
    limiter.setLimit(5);
    const old = work();
    clock.advance(10);
    limiter.setLimit('adaptive');
    clock.advance(10);
    old?.release();
    expect(limit.samples).toEqual([]);
    const young = work();
    clock.advance(10);
    young?.release();
    expect(limit.samples).toMatchObject([{ rtt: 10 }]);
  });

  it("passes on samples of work that was admitted before a needless setLimit('adaptive')", () => {
    const { clock, limit, limiter, work } = adaptiveScene();
    const permit = work();
    clock.advance(10);
    limiter.setLimit('adaptive');
    permit?.release();
    expect(limit.samples).toMatchObject([{ rtt: 10 }]);
  });

  it('does not grow after rejections', () => {
    const { clock, limit, limiter } = adaptiveScene();
    const reject = () => {
      for (let i = 0; i < 30; i++) {
        clock.advance(1_000);
        limiter.reject(call(limiter), 'overloaded');
      }
    };
    limiter.setLimit(5);
    for (let i = 0; i < 5; i++) call(limiter);
    reject();
    expect(limit.stalls).toEqual([]);
    limiter.setLimit('adaptive');
    reject();
    expect(limit.stalls).not.toEqual([]);
  });
});

it.each([
  ['a fixed limit', () => createLimiter({ limit: 4 })],
  ['a limit in a store', () => createLimiter({ name: 'a', limit: 4, store: memoryStore() })],
])("%s refuses setLimit('adaptive')", async (_name, create) => {
  const limiter = create();
  const message = `limit must be a whole number of at least 1, got "adaptive"`;
  expect(() => limiter.setLimit('adaptive')).toThrow(
    expect.objectContaining({ code: 'ERR_HEADGATE_OPTION', option: 'limit', message }),
  );
  expect([limiter.limit, limiter.isFixed]).toEqual([4, true]);
  await limiter.close();
});
