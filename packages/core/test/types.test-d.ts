import { memoryStore } from '@headgate/store-kit/memory-store';
import { expectTypeOf, test } from 'vitest';
import type { ErrorCode } from '../src/errors.ts';
import type { GateLimitOptions } from '../src/gate/options.ts';
import type { HttpOptions } from '../src/http/index.ts';
import {
  type Clock,
  createGate,
  createLimiter,
  type Gate,
  type GateStats,
  type HeadgateError,
  type Limiter,
  type LimiterStats,
  type LocalLimiter,
  map,
  type Observer,
  type Outcome,
  type Permit,
  type RejectedError,
  type Rejection,
  type RejectionReason,
  systemClock,
  Waiter,
} from '../src/index.ts';

type Limits = HttpOptions<unknown, [], unknown, unknown>;

const limiter = createLimiter({ limit: 1 });
const gate = createGate({ limits: [{ name: 'app', limit: 1 }] });

test('createLimiter accepts a limit and known options only', () => {
  expectTypeOf(limiter).toEqualTypeOf<LocalLimiter>();
  expectTypeOf(limiter).toExtend<Limiter>();
  createLimiter({
    limit: 1,
    name: undefined,
    queueLimit: Number.POSITIVE_INFINITY,
    clock: systemClock,
  });
  // @ts-expect-error the limit is needed
  createLimiter({});
  // @ts-expect-error misspelt
  createLimiter({ limit: 1, queuLimit: 5 });
  // @ts-expect-error a number
  createLimiter({ limit: '1' });
  // @ts-expect-error a boolean
  createLimiter({ limit: 1, perKey: 'yes' });
});

test('run resolves to the result of the function', () => {
  expectTypeOf(limiter.run(() => 1)).toEqualTypeOf<Promise<number>>();
  expectTypeOf(limiter.run(async () => 'text')).toEqualTypeOf<Promise<string>>();
  expectTypeOf(limiter.run((permit) => permit)).toEqualTypeOf<Promise<Permit>>();
  expectTypeOf(gate.run(async (permit) => permit.weight)).toEqualTypeOf<Promise<number>>();
});

test('only acquire and run accept a signal and a timeout', () => {
  const { signal } = new AbortController();
  expectTypeOf(limiter.tryAcquire({ key: 'a', weight: 2, limit: 3 })).toEqualTypeOf<
    Permit | undefined
  >();
  expectTypeOf(limiter.acquire({ signal, queueTimeout: 5 })).toEqualTypeOf<Promise<Permit>>();
  // @ts-expect-error never waits
  limiter.tryAcquire({ signal });
  // @ts-expect-error never waits
  limiter.tryAcquire({ queueTimeout: 5 });
  // @ts-expect-error a gate always waits
  gate.tryAcquire;
});

test('a permit is disposable, and release() accepts an outcome', () => {
  expectTypeOf<Permit>().toExtend<Disposable>();
  expectTypeOf<Outcome>().toEqualTypeOf<'ok' | 'dropped' | 'ignored'>();
  const permit = limiter.tryAcquire() as Permit;
  expectTypeOf(permit.signal).toEqualTypeOf<AbortSignal>();
  expectTypeOf(permit.key).toEqualTypeOf<string | undefined>();
  permit.release('dropped');
  permit.waitUntil(Promise.resolve(5));
  // @ts-expect-error no such outcome
  permit.release('failed');
  // @ts-expect-error not a promise
  permit.waitUntil(5);
  // @ts-expect-error fixed
  permit.weight = 2;
});

test('a rejection has a reason, and its error contains the rejection', () => {
  type Reasons = 'full' | 'timeout' | 'closed' | 'overloaded' | 'paused' | 'store';
  expectTypeOf<RejectionReason>().toEqualTypeOf<Reasons>();
  expectTypeOf<RejectedError>().toExtend<HeadgateError>();
  expectTypeOf<RejectedError['rejection']>().toEqualTypeOf<Rejection>();
  expectTypeOf<HeadgateError['code']>().toEqualTypeOf<ErrorCode>();
  expectTypeOf<'ERR_HEADGATE_REJECTED'>().toExtend<ErrorCode>();
  expectTypeOf<LimiterStats['rejected']>().toEqualTypeOf<Readonly<Record<Reasons, number>>>();
  const rejection = {} as Rejection;
  // @ts-expect-error fixed
  rejection.retryAfter = 5;
});

test('a waiter must implement granted() and rejected()', () => {
  class Both extends Waiter {
    granted(permit: Permit): void {
      expectTypeOf(permit).toEqualTypeOf<Permit>();
    }
    rejected(): void {}
  }
  limiter.request(new Both());
  gate.request(new Both(), [{ limiter, weight: 1 }]);
  // @ts-expect-error rejected is missing
  class One extends Waiter {
    granted(): void {}
  }
  // @ts-expect-error not an instance of Waiter
  limiter.request({ granted() {}, rejected() {} });
  expectTypeOf(One).toBeObject();
});

test('a limit with a store requires a name', () => {
  const store = memoryStore();
  createLimiter({ name: 'a', limit: 1, store });
  const perhaps: typeof store | undefined = Math.random() < 0.5 ? store : undefined;
  createLimiter({ name: 'a', limit: 1, store: perhaps });
  // @ts-expect-error the name is needed
  createLimiter({ limit: 1, store });
  expectTypeOf<{ limit: 1; store: typeof store }>().not.toExtend<Limits>();
  expectTypeOf<{ limit: 1; store: typeof store; name: 'a' }>().toExtend<Limits>();
  expectTypeOf<{ limit: 1 }>().toExtend<Limits>();
});

test('a limit of a gate is either a reused limiter or its own', () => {
  expectTypeOf<{ limiter: Limiter }>().toExtend<GateLimitOptions>();
  expectTypeOf<{ name: string; limit: number; optional: true }>().toExtend<GateLimitOptions>();
  expectTypeOf<{ limit: number }>().not.toExtend<GateLimitOptions>();
  expectTypeOf(gate).toEqualTypeOf<Gate>();
  expectTypeOf(gate.stats()).toEqualTypeOf<GateStats>();
  expectTypeOf<GateStats['limits']>().toEqualTypeOf<readonly LimiterStats[]>();
  createGate({ limits: [{ limiter }], mode: 'shadow' });
  // @ts-expect-error no such mode
  createGate({ limits: [{ limiter }], mode: 'off' });
  // @ts-expect-error nothing to limit
  createGate({});
});

test('an observer may have any of the callbacks, each with its own event', () => {
  const observer: Observer = {
    rejected: ({ name, rejection, shadow }) => {
      expectTypeOf(name).toEqualTypeOf<string>();
      expectTypeOf(rejection).toEqualTypeOf<Rejection>();
      expectTypeOf(shadow).toEqualTypeOf<boolean>();
    },
    released: ({ held, outcome, request }) => {
      expectTypeOf(held).toEqualTypeOf<number | undefined>();
      expectTypeOf(request).toEqualTypeOf<object>();
      expectTypeOf(outcome).toEqualTypeOf<Outcome>();
    },
  };
  limiter.observe({});
  expectTypeOf(limiter.observe(observer)).toEqualTypeOf<() => void>();
  expectTypeOf(gate.observe(observer)).toEqualTypeOf<() => void>();
  // @ts-expect-error misspelt
  limiter.observe({ admited: () => {} });
  // @ts-expect-error events carry no key
  limiter.observe({ admitted: ({ key }) => key });
});

test('map infers the types of items and results', () => {
  const results = map(
    [1, 2],
    async (item, index, signal) => {
      expectTypeOf([item, index]).toEqualTypeOf<number[]>();
      expectTypeOf(signal).toEqualTypeOf<AbortSignal>();
      return String(item);
    },
    { limit: 2 },
  );
  expectTypeOf(results).toEqualTypeOf<Promise<string[]>>();
  // @ts-expect-error the limit is needed
  map([1], () => 1);
});

test('a clock may be any object with the three methods', () => {
  expectTypeOf(systemClock).toExtend<Clock>();
  const clock: Clock = { now: () => 0, setTimeout: () => 5, clearTimeout: () => {} };
  createLimiter({ limit: 1, clock });
});

test('the counts of a limiter are read-only', () => {
  // @ts-expect-error use setLimit
  limiter.limit = 5;
  // @ts-expect-error counted
  limiter.inflight = 5;
  // @ts-expect-error counted
  gate.queued = 5;
  // @ts-expect-error use close
  gate.closed = true;
});
