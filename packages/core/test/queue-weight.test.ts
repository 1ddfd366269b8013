import { Caller, call } from '@headgate/test-kit/caller';
import { expect, it } from 'vitest';
import {
  byPriority,
  createGate,
  createLimiter,
  type LimiterOptions,
  lifo,
  type Permit,
} from '../src/index.ts';
import { askGate } from './ask-gate.ts';

function busy(options: Partial<LimiterOptions>) {
  const limiter = createLimiter({ limit: 10, ...options });
  const holder = limiter.tryAcquire({ weight: 10 }) as Permit;
  const ask = (weight: number) => call(limiter, { weight });
  return { limiter, holder, ask };
}

const reasons = (callers: Caller[]) =>
  callers.map(({ permit, rejection }) => rejection?.reason ?? (permit ? 'granted' : 'waits'));

it('queueWeight bounds the queue by weight', () => {
  const { limiter, ask } = busy({ queueWeight: 8 });
  const callers = [4, 4, 1].map(ask);
  expect(reasons(callers)).toEqual(['waits', 'waits', 'full']);
  limiter.withdraw(callers[0] as Caller);
  expect(reasons([3, 1, 1].map(ask))).toEqual(['waits', 'waits', 'full']);
  expect(reasons([ask(9)])).toEqual(['full']);
});

it('a waiter that leaves a queue with priorities frees its weight', () => {
  const { limiter, ask } = busy({ queueWeight: 8, order: byPriority() });
  limiter.withdraw(ask(8));
  expect(reasons([ask(8), ask(1)])).toEqual(['waits', 'full']);
});

it('queueLimit and queueWeight both bound the queue', () => {
  const { ask } = busy({ queueWeight: 8, queueLimit: 2 });
  expect(reasons([1, 1, 1].map(ask))).toEqual(['waits', 'waits', 'full']);
});

it('a queueWeight of 0 queues no request', () => {
  const { ask } = busy({ queueWeight: 0 });
  expect(reasons([1].map(ask))).toEqual(['full']);
});

it('a request heavier than queueWeight is admitted if there is room', () => {
  const { holder, ask } = busy({ queueWeight: 2 });
  holder.release();
  expect(reasons([ask(10)])).toEqual(['granted']);
});

it('a new request displaces at most one waiter, and only if that frees enough weight', () => {
  const { ask } = busy({ queueWeight: 6, order: lifo() });
  const callers = [2, 4, 2].map(ask);
  expect(reasons(callers)).toEqual(['full', 'waits', 'waits']);
  // The oldest now weighs 4, so displacing it would not free enough weight for 5.
  callers.push(ask(5));
  expect(reasons(callers)).toEqual(['full', 'waits', 'waits', 'full']);
  callers.push(ask(3));
  expect(reasons(callers)).toEqual(['full', 'full', 'waits', 'full', 'waits']);
});

it('queueWeight applies to each key', () => {
  const limiter = createLimiter({ limit: 1, perKey: true, queueWeight: 1 });
  const ask = (key: string) => call(limiter, { key });
  expect(reasons(['a', 'a', 'a', 'b', 'b'].map(ask))).toEqual([
    'granted',
    'waits',
    'full',
    'granted',
    'waits',
  ]);
});

it('queueWeight applies to each limit of a gate', () => {
  const limits = [
    { name: 'pages', limit: 4, queueWeight: 4, optional: true },
    { name: 'app', limit: 9 },
  ];
  const gate = createGate({ limits, queueLimit: 100 });
  const ask = (pages: number) => {
    const caller = new Caller();
    askGate(gate, caller, [{ weight: pages }, { weight: 1 }]);
    return caller;
  };
  const callers = [4, 3, 2, 1].map(ask);
  expect(reasons(callers)).toEqual(['granted', 'waits', 'full', 'waits']);
  expect(callers[2]?.rejection?.limitName).toBe('pages');
});

it('a gate of one limit applies its queueWeight', () => {
  const gate = createGate({ limits: [{ name: 'app', limit: 1, queueWeight: 1 }] });
  const ask = () => {
    const caller = new Caller();
    askGate(gate, caller, [{ weight: 1 }]);
    return caller;
  };
  expect(reasons([ask(), ask(), ask()])).toEqual(['granted', 'waits', 'full']);
});

it('shadow mode reports a full queueWeight', () => {
  const limits = [{ name: 'app', limit: 2, queueWeight: 2 }];
  const gate = createGate({ limits, mode: 'shadow', queueLimit: 100 });
  for (let count = 0; count < 5; count++) askGate(gate, new Caller(), [{ weight: 1 }]);
  expect(gate.stats()).toMatchObject({ admitted: 5, wouldReject: { full: 1 } });
});

it('an invalid queueWeight is an error', () => {
  for (const queueWeight of [-1, 1.5, '3', Number.NaN]) {
    const error = { code: 'ERR_HEADGATE_OPTION', option: 'queueWeight' };
    const options = { limit: 1, queueWeight: queueWeight as number };
    expect(() => createLimiter(options)).toThrow(expect.objectContaining(error));
  }
});
