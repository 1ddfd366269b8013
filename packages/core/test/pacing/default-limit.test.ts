import { Caller, call } from '@headgate/test-kit/caller';
import { expect, it } from 'vitest';
import type { Demands } from '../../src/gate/demands.ts';
import { createGate, createLimiter, defaultLimit } from '../../src/index.ts';
import type { BasePermit } from '../../src/semaphore/permit.ts';

it.each([
  [{}, 8],
  [{ initial: 20 }, 20],
  [{ min: 30 }, 30],
  [{ max: 2 }, 2],
])('with the options %j the limit is at first %i', (options, initial) => {
  expect(createLimiter({ limit: defaultLimit(options) }).limit).toBe(initial);
});

it.each([
  ['min', { min: 0 }],
  ['max', { min: 5, max: 4 }],
  ['initial', { initial: 3 }],
  ['maxWait', { maxWait: -1 }],
  ['limit', { limit: 5 }],
])('throws for an invalid %s', (option, options) => {
  expect(() => defaultLimit(options as object)).toThrow(expect.objectContaining({ option }));
});

it('critical requests need no order by priority, since they may wait for longer', async () => {
  const limiter = createLimiter({ limit: defaultLimit() });
  await expect(limiter.run(async () => 'done', { priority: 'critical' })).resolves.toBe('done');
});

it('its queue is not bounded by the default queueLimit', () => {
  expect(createLimiter({ limit: defaultLimit() }).queueLimit).toBe(Infinity);
  expect(createLimiter({ limit: defaultLimit(), queueLimit: 5 }).queueLimit).toBe(5);
});

it('next to other limits of a gate, a request that waits for its client counts against the others', () => {
  const gate = createGate({
    limits: [
      { name: 'reports', limit: 3 },
      { name: 'app', limit: defaultLimit() },
    ],
  });
  const [reports, app] = Object.values(gate.limiters);
  const demands = Object.values(gate.limiters).map((limiter) => ({ limiter, weight: 1 }));
  const caller = new Caller();
  gate.request(caller, demands as Demands);
  const permit = caller.permit as BasePermit;
  permit.pauseCounting();
  expect([reports?.inflight, app?.inflight]).toEqual([1, 0]);
  permit.countAgain();
  expect([reports?.inflight, app?.inflight]).toEqual([1, 1]);
  permit.stopCounting();
  expect([reports?.inflight, app?.inflight]).toEqual([1, 0]);
  permit.release();
  expect([reports?.inflight, app?.inflight]).toEqual([0, 0]);
});

it('each limiter has a pace of its own', () => {
  const limit = defaultLimit();
  const limiters = [createLimiter({ limit }), createLimiter({ limit })];
  expect(limiters.map((limiter) => call(limiter).permit !== undefined)).toEqual([true, true]);
});
