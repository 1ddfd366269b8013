import { createLimiter } from '@headgate/core';
import { register as globalRegistry } from 'prom-client';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { instrument } from '../src/index.ts';
import { call, limited, of, outcome, scrape } from './scrape.ts';

describe('removing limits', () => {
  afterEach(() => globalRegistry.clear());

  it('leaves no series, no metric and no observer behind', async () => {
    const { register, limiter } = limited();
    const other = createLimiter({ name: 'other', limit: 1 });
    const observe = other.observe.bind(other);
    const stopped = vi.fn();
    vi.spyOn(other, 'observe').mockImplementation((observer) => {
      const stop = observe(observer);
      return () => {
        stopped();
        stop();
      };
    });
    const removeLimiter = instrument(limiter, { register });
    const removeOther = instrument(other, { register });
    other.tryAcquire()?.release();
    expect(stopped).not.toHaveBeenCalled();
    removeOther();
    removeOther();
    expect(other.observe).toHaveBeenCalledTimes(1);
    expect(stopped).toHaveBeenCalledTimes(1);
    const left = await scrape(register);
    expect(Object.keys(left).filter((series) => series.includes('other'))).toEqual([]);
    expect(left).toHaveProperty([of('limit', 'app')], 1);
    removeLimiter();
    expect(register.getMetricsAsArray()).toEqual([]);
    const permit = limiter.tryAcquire();
    permit?.release();
    expect(permit).not.toHaveProperty('identity');
  });

  it('happens automatically when a closed limit was drained and collected once more', async () => {
    const { register, limiter } = limited();
    instrument(limiter, { register });
    const permit = limiter.tryAcquire();
    const closed = limiter.close();
    call(limiter);
    await scrape(register);
    expect((await scrape(register))[outcome('closed')]).toBe(1);
    permit?.release();
    await closed;
    expect((await scrape(register))[of('inflight', 'app')]).toBe(0);
    expect(register.getMetricsAsArray()).toEqual([]);
  });

  it('waits for the last counts to be collected, if another limit is added before', async () => {
    const { register, limiter } = limited();
    instrument(limiter, { register });
    limiter.tryAcquire()?.release();
    await limiter.close();
    instrument(createLimiter({ name: 'other', limit: 1 }), { register });
    expect(await scrape(register)).toMatchObject({
      [outcome('admitted')]: 1,
      [of('permit_duration_seconds_count', 'app')]: 1,
    });
    expect(await scrape(register)).not.toHaveProperty([of('limit', 'app')]);
  });

  it('lets a new limit have the name of a closed one at once', async () => {
    const { register, limiter } = limited();
    instrument(limiter, { register });
    await limiter.close();
    instrument(createLimiter({ name: 'app', limit: 9 }), { register });
    expect((await scrape(register))[of('limit', 'app')]).toBe(9);
  });

  it('the global registry is the default', async () => {
    const remove = instrument(limited().limiter);
    expect(await globalRegistry.metrics()).toContain('headgate_limit');
    remove();
    expect(globalRegistry.getMetricsAsArray()).toEqual([]);
  });
});
