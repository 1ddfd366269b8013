import { Caller, call } from '@headgate/test-kit/caller';
import { VirtualClock } from '@headgate/test-suite';
import { describe, expect, it } from 'vitest';
import {
  byPriority,
  createGate,
  createLimiter,
  fifo,
  type LimiterOptions,
  lifo,
} from '../src/index.ts';
import { askGate } from './ask-gate.ts';

function busy(options: Partial<LimiterOptions>) {
  const clock = new VirtualClock();
  const settings = { limit: 1, queueLimit: 3, queueTimeout: 1000, clock };
  const limiter = createLimiter({ ...settings, ...options });
  const held = [call(limiter)];
  const next = () => {
    held.pop()?.permit?.release();
  };
  return { clock, limiter, held, next };
}

const reasons = (callers: Caller[]) =>
  callers.map(({ permit, rejection }) => rejection?.reason ?? (permit ? 'granted' : 'waits'));

it('fifo() is the default order', () => {
  for (const options of [{}, { order: fifo() }]) {
    const { limiter, next } = busy(options);
    const callers = [call(limiter), call(limiter), call(limiter), call(limiter)];
    next();
    expect(reasons(callers)).toEqual(['granted', 'waits', 'waits', 'full']);
  }
});

describe('lifo()', () => {
  it('grants the newest first', () => {
    const { limiter, next } = busy({ order: lifo() });
    const callers = [call(limiter), call(limiter), call(limiter)];
    next();
    expect(reasons(callers)).toEqual(['waits', 'waits', 'granted']);
    callers[2]?.permit?.release();
    expect(reasons(callers)).toEqual(['waits', 'granted', 'granted']);
  });

  it('displaces the oldest from a full queue', () => {
    const { limiter } = busy({ order: lifo() });
    const callers = [1, 2, 3, 4, 5].map(() => call(limiter));
    expect(reasons(callers)).toEqual(['full', 'full', 'waits', 'waits', 'waits']);
    expect(limiter.stats()).toMatchObject({ queued: 3, rejected: { full: 2 } });
  });

  it('displaces no waiter if the new request declines to wait, or if there is no queue', () => {
    const { limiter } = busy({ order: lifo() });
    const callers = [1, 2, 3].map(() => call(limiter));
    const declining = call(limiter, { mayJoin: () => false });
    expect(reasons([...callers, declining])).toEqual(['waits', 'waits', 'waits', 'full']);
    const without = busy({ order: lifo(), queueLimit: 0 });
    expect(reasons([call(without.limiter)])).toEqual(['full']);
  });

  it('rejects waiters at their deadline, and late waiters before displacing others', () => {
    const { clock, limiter, next } = busy({ order: lifo() });
    const early = call(limiter, { queueTimeout: 100 });
    const short = call(limiter, { queueTimeout: 10 });
    const late = call(limiter, { queueTimeout: 100 });
    clock.busy(20);
    const newcomer = call(limiter);
    expect(reasons([early, short, late, newcomer])).toEqual(['waits', 'timeout', 'waits', 'waits']);
    clock.busy(90);
    next();
    expect(reasons([early, late, newcomer])).toEqual(['timeout', 'timeout', 'granted']);
  });

  it('rejects a request if a callback of the displaced waiter has filled the queue', () => {
    const { limiter } = busy({ order: lifo(), queueLimit: 1 });
    const others: Caller[] = [];
    call(limiter, { onRejected: () => others.push(call(limiter, { mayJoin: () => true })) });
    const newcomer = call(limiter);
    expect(limiter.queued).toBe(1);
    expect([...others, newcomer].filter(({ answers }) => answers === 0)).toHaveLength(1);
  });

  it('in a gate, displaces the oldest waiter of the same limit', () => {
    const limits = [
      { name: 'user', limit: 1, perKey: true },
      { name: 'app', limit: 1 },
    ];
    const gate = createGate({ limits, queueLimit: 2, order: lifo() });
    const ask = (key: string) => {
      const caller = new Caller();
      askGate(gate, caller, [{ key, weight: 1 }, { weight: 1 }]);
      return caller;
    };
    const holder = ask('a');
    const callers = [ask('b'), ask('c'), ask('d'), ask('a')];
    // The queue of its own user has no waiter to displace.
    expect(reasons(callers)).toEqual(['full', 'waits', 'waits', 'full']);
    holder.permit?.release();
    expect(reasons(callers)).toEqual(['full', 'waits', 'granted', 'full']);
    expect(gate.stats()).toMatchObject({ holders: 1, queued: 1, rejected: { full: 2 } });
  });
});

it('a request displaces no waiter of another gate', () => {
  const limiter = createLimiter({ limit: 1, queueLimit: 9, order: lifo() });
  const make = () => createGate({ limits: [{ limiter }], queueLimit: 1 });
  const [one, other] = [make(), make()];
  limiter.tryAcquire();
  const callers = [one, other, other].map((gate) => {
    const caller = new Caller();
    askGate(gate, caller, [{ weight: 1 }]);
    return caller;
  });
  expect(reasons(callers)).toEqual(['waits', 'waits', 'full']);
  const late = new Caller();
  askGate(one, late, [{ weight: 1 }]);
  expect(reasons([...callers, late])).toEqual(['full', 'waits', 'full', 'waits']);
});

it.each([
  [() => createLimiter({ limit: 1, order: 'lifo' as never }), 'order'],
  [() => createLimiter({ limit: 1, order: lifo as never }), 'order'],
  [() => createLimiter({ limit: 1, order: null as never }), 'order'],
  [() => createLimiter({ limit: 1, order: { create: () => ({}) } as never }), 'order'],
  [
    () => createGate({ limits: [{ limiter: createLimiter({ limit: 1 }) }], order: lifo() }),
    'order',
  ],
  [() => byPriority('lifo' as never), 'order'],
])('%s throws for an invalid option', (create, option) => {
  const code = expect.stringMatching(/^ERR_HEADGATE_(UNKNOWN_)?OPTION$/);
  expect(create).toThrow(expect.objectContaining({ code, option }));
});
