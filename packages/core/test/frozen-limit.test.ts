import { call } from '@headgate/test-kit/caller';
import { VirtualClock } from '@headgate/test-suite';
import { describe, expect, it } from 'vitest';
import { createLimiter } from '../src/index.ts';
import { ScriptedLimit } from './scripted-limit.ts';

describe('a frozen limit', () => {
  function adaptiveScene() {
    const clock = new VirtualClock();
    const limit = new ScriptedLimit(5);
    const limiter = createLimiter({ limit, queueLimit: 5, clock });
    const work = () => call(limiter).permit;
    return { clock, limit, limiter, work };
  }

  it('keeps its value, and passes no samples to its algorithm', () => {
    const { limit, limiter, work } = adaptiveScene();
    limiter.freeze();
    expect(limiter.frozen).toBe(true);
    limit.limit = 9;
    work()?.release();
    expect([limiter.limit, limit.samples.length]).toEqual([5, 0]);
  });

  it('can be set, unlike an adaptive limit that is not frozen', () => {
    const { limiter } = adaptiveScene();
    expect(() => limiter.setLimit(3)).toThrow('as it is adaptive and not frozen');
    limiter.freeze();
    limiter.setLimit(3);
    expect(limiter.limit).toBe(3);
    expect(() => limiter.setLimit(0)).toThrow('a whole number of at least 1');
  });

  it("keeps the algorithm's value if a waiter admitted by setLimit unfreezes it", () => {
    const { limit, limiter, work } = adaptiveScene();
    limiter.freeze();
    limiter.setLimit(1);
    work();
    limit.limit = 2;
    const waiting = call(limiter, { onGranted: () => limiter.unfreeze() });
    limiter.setLimit(9);
    expect([waiting.answers, limiter.limit]).toEqual([1, 2]);
    limit.limit = 9;
    waiting.permit?.release('ignored');
    limiter.freeze();
    limiter.unfreeze();
    expect(limiter.limit).toBe(9);
  });

  it('is not changed by the sample during which it was frozen', () => {
    const { limit, limiter, work } = adaptiveScene();
    limit.onSample = () => {
      limit.limit = 20;
      limiter.freeze();
      limiter.setLimit(3);
    };
    work()?.release();
    expect([limiter.frozen, limiter.limit]).toEqual([true, 3]);
  });

  it("returns to the algorithm's value when it is unfrozen, and admits the waiters that fit", () => {
    const { limiter, work } = adaptiveScene();
    limiter.freeze();
    limiter.setLimit(1);
    work();
    const waiting = [call(limiter), call(limiter)];
    limiter.unfreeze();
    expect([limiter.limit, limiter.frozen]).toEqual([5, false]);
    expect(waiting.map(({ answers }) => answers)).toEqual([1, 1]);
  });

  it('does not pass on samples of work that was admitted while it was frozen', () => {
    const { clock, limit, limiter, work } = adaptiveScene();
    limiter.freeze();
    const old = work();
    clock.advance(10);
    limiter.unfreeze();
    clock.advance(10);
    old?.release();
    expect(limit.samples).toEqual([]);
    const young = work();
    clock.advance(10);
    young?.release();
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
    limiter.freeze();
    for (let i = 0; i < 5; i++) call(limiter);
    reject();
    expect(limit.stalls).toEqual([]);
    limiter.unfreeze();
    reject();
    expect(limit.stalls).not.toEqual([]);
  });
});
