import { call } from '@headgate/test-kit/caller';
import { uncaughtIn } from '@headgate/test-kit/uncaught';
import { collectWarnings } from '@headgate/test-kit/warnings';
import { VirtualClock } from '@headgate/test-suite';
import { expect, it } from 'vitest';
import { createLimiter, type LimiterOptions, type Observer } from '../src/index.ts';

function observed({
  observer,
  ...options
}: Partial<LimiterOptions> & { readonly observer?: Observer } = {}) {
  const clock = new VirtualClock({ random: () => 0 });
  const events: unknown[] = [];
  const see = (kind: string) => (event: object) => void events.push([kind, event]);
  const recorder: Observer = {
    admitted: see('admitted'),
    queued: see('queued'),
    rejected: see('rejected'),
    withdrawn: see('withdrawn'),
    released: see('released'),
    resized: see('resized'),
    leaked: see('leaked'),
  };
  const limiter = createLimiter({
    ...{
      limit: 2,
      name: 'app',
      queueLimit: 1,
      queueTimeout: 100,
      clock,
    },
    ...options,
  });
  limiter.observe(observer ?? recorder);
  const seen = () => events.splice(0);
  return { clock, limiter, seen };
}

const name = 'app';
const request = expect.any(Object) as object;

it('admitted and released report a request admitted at once, with its outcome', () => {
  const { clock, limiter, seen } = observed();
  const permit = limiter.tryAcquire({ weight: 2 });
  expect(seen()).toEqual([['admitted', { name, request, weight: 2, waited: 0 }]]);
  clock.advance(30);
  permit?.release('dropped');
  permit?.release();
  const released = { name, request, weight: 2, waited: 0, held: 30, outcome: 'dropped' };
  expect(seen()).toEqual([['released', released]]);
});

it('queued reports a waiter, and admitted and released the time it has waited', () => {
  const { clock, limiter, seen } = observed();
  const held = limiter.tryAcquire({ weight: 2 });
  const caller = call(limiter);
  clock.advance(20);
  seen();
  held?.release();
  clock.advance(5);
  caller.permit?.release();
  expect(seen()).toEqual([
    ['released', { name, request, weight: 2, waited: 0, held: 20, outcome: 'ok' }],
    ['admitted', { name, request, weight: 1, waited: 20 }],
    ['released', { name, request, weight: 1, waited: 20, held: 5, outcome: 'ok' }],
  ]);
});

it('rejected reports every rejection with its reason', () => {
  const { clock, limiter, seen } = observed();
  limiter.tryAcquire({ weight: 2 });
  call(limiter, { weight: 2 });
  seen();
  call(limiter);
  const full = { reason: 'full', limitName: name, queued: 1, waited: 0, retryAfter: 1 };
  expect(seen()).toEqual([['rejected', { name, request, rejection: full, shadow: false }]]);
  clock.advance(100);
  const timeout = { ...full, reason: 'timeout', queued: 0, waited: 100 };
  expect(seen()).toEqual([['rejected', { name, request, rejection: timeout, shadow: false }]]);
  void limiter.close();
  call(limiter);
  expect(seen()).toMatchObject([['rejected', { name, request, rejection: { reason: 'closed' } }]]);
});

it('queued and withdrawn report waiters that join and leave the queue', () => {
  const { clock, limiter, seen } = observed();
  limiter.tryAcquire({ weight: 2 });
  seen();
  const caller = call(limiter, { weight: 2 });
  clock.advance(7);
  limiter.withdraw(caller);
  expect(seen()).toEqual([
    ['queued', { name, request, weight: 2, queued: 1 }],
    ['withdrawn', { name, request, waited: 7 }],
  ]);
});

it('resized reports each change of the limit', () => {
  const { limiter, seen } = observed();
  limiter.setLimit(5);
  expect(seen()).toEqual([['resized', { name, limit: 5 }]]);
});

it('leaked reports a permit held for longer than maxHold, and released follows', () => {
  const { clock, limiter, seen } = observed({ maxHold: 50 });
  limiter.tryAcquire();
  seen();
  clock.advance(50);
  expect(seen()).toEqual([
    ['leaked', { name, weight: 1, held: 50 }],
    ['released', { name, request, weight: 1, waited: 0, held: 50, outcome: 'dropped' }],
  ]);
});

it('no event carries a key', () => {
  const { clock, limiter, seen } = observed({ perKey: true, maxHold: 500 });
  const key = 'secret';
  const held = limiter.tryAcquire({ key, weight: 2 });
  limiter.withdraw(call(limiter, { key }));
  call(limiter, { key });
  call(limiter, { key });
  clock.advance(100);
  held?.release();
  limiter.tryAcquire({ key });
  clock.advance(500);
  const events = seen();
  const kinds = new Set(events.map((event) => (event as [string])[0]));
  expect(kinds).toEqual(
    new Set(['admitted', 'queued', 'withdrawn', 'rejected', 'released', 'leaked']),
  );
  expect(JSON.stringify(events)).not.toContain(key);
});

it('every callback is optional', () => {
  const warnings = collectWarnings();
  const { clock, limiter } = observed({ observer: {}, maxHold: 50 });
  const permit = limiter.tryAcquire();
  limiter.setLimit(1);
  limiter.withdraw(call(limiter));
  call(limiter);
  call(limiter);
  permit?.release();
  clock.advance(50);
  expect(limiter.inflight).toBe(0);
  expect(warnings).toEqual(['HEADGATE_MAX_HOLD']);
});

it('callbacks may be methods of a class', () => {
  class Counter implements Observer {
    count = 0;
    admitted(): void {
      this.count++;
    }
  }
  const observer = new Counter();
  observed({ observer }).limiter.tryAcquire();
  expect(observer.count).toBe(1);
});

it('a callback that throws does not affect callers, and its error surfaces', async () => {
  const error = new Error('observer');
  const fail = () => {
    throw error;
  };
  const kinds = ['admitted', 'queued', 'rejected', 'withdrawn', 'released', 'resized', 'leaked'];
  const observer = Object.fromEntries(kinds.map((kind) => [kind, fail])) as Observer;
  const { clock, limiter } = observed({ observer, maxHold: 200 });
  const errors = await uncaughtIn(() => {
    const held = limiter.tryAcquire();
    limiter.setLimit(1);
    limiter.withdraw(call(limiter));
    const caller = call(limiter);
    expect(call(limiter).rejection?.reason).toBe('full');
    held?.release();
    expect(caller.permit).toBeDefined();
    clock.advance(200);
  });
  expect(limiter.stats()).toMatchObject({ inflight: 0, queued: 0, leaked: 1 });
  // admitted 2, resized, queued 2, withdrawn, rejected, released 2, leaked.
  expect(errors).toEqual(Array(10).fill(error));
});
