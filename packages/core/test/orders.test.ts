import { Caller, call } from '@headgate/test-kit/caller';
import { VirtualClock } from '@headgate/test-suite';
import { describe, expect, it } from 'vitest';
import {
  byPriority,
  byShare,
  codel,
  createGate,
  createLimiter,
  fair,
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
    const declining = call(limiter, { joins: () => false });
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
    call(limiter, { onRejected: () => others.push(call(limiter, { joins: () => true })) });
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

describe('codel()', () => {
  const order = codel({ target: 20, interval: 100 });

  it('is FIFO at normal load', () => {
    const { clock, limiter, next } = busy({ order });
    const callers = [call(limiter), call(limiter)];
    clock.advance(99);
    next();
    expect(reasons(callers)).toEqual(['granted', 'waits']);
  });

  /** At the next release, two waiters have waited past the target, and two have not. */
  function overloaded(queue: typeof order) {
    const { clock, limiter, next } = busy({ order: queue, queueLimit: 9 });
    const old = [call(limiter), call(limiter)];
    clock.advance(90);
    const fresh = [call(limiter), call(limiter)];
    clock.advance(10);
    next();
    return { limiter, callers: [...old, ...fresh] };
  }

  it('under overload grants the newest, and sheds waiters past the target', () => {
    const { limiter, callers } = overloaded(order);
    expect(reasons(callers)).toEqual(['overloaded', 'overloaded', 'waits', 'granted']);
    expect(limiter.stats()).toMatchObject({ queued: 1, rejected: { overloaded: 2 } });
  });

  it('grants the room that an observer makes while a waiter is shed', () => {
    const clock = new VirtualClock();
    const held: Caller[] = [];
    const observer = {
      rejected: () => {
        for (const { permit } of held) permit?.release();
      },
    };
    const settings = { limit: 3, queueLimit: 9, clock };
    const limiter = createLimiter({ ...settings, order });
    limiter.observe(observer);
    held.push(call(limiter), call(limiter), call(limiter));
    const old = call(limiter);
    clock.advance(100);
    const fresh = call(limiter);
    expect(reasons([old, fresh])).toEqual(['overloaded', 'granted']);
    expect([limiter.inflight, limiter.queued]).toEqual([1, 0]);
  });

  it('sheds when requests arrive, but never the last waiter', () => {
    const { clock, limiter } = busy({ order });
    const alone = call(limiter);
    clock.advance(200);
    expect(reasons([alone])).toEqual(['waits']);
    const newcomer = call(limiter);
    expect(reasons([alone, newcomer])).toEqual(['overloaded', 'waits']);
  });

  it('displaces the oldest from a full queue under overload only', () => {
    const { clock, limiter } = busy({ order: codel({ target: 1000, interval: 100 }) });
    const callers = [call(limiter), call(limiter), call(limiter), call(limiter)];
    expect(reasons(callers)).toEqual(['waits', 'waits', 'waits', 'full']);
    clock.advance(100);
    callers.push(call(limiter));
    expect(reasons(callers)).toEqual(['full', 'waits', 'waits', 'full', 'waits']);
  });

  it('is no longer overloaded once the queue has been empty', () => {
    const { clock, limiter, next, held } = busy({ order });
    const first = call(limiter);
    clock.advance(200);
    next();
    held.push(first);
    const callers = [call(limiter), call(limiter)];
    clock.advance(50);
    next();
    expect(reasons(callers)).toEqual(['granted', 'waits']);
  });

  it.each([
    ['classes', byPriority(order)],
    ['flows', fair(order)],
    ['shares', byShare({ gold: 0.5 }, order)],
  ])('sheds within %s as well', (_, divided) => {
    const { callers } = overloaded(divided);
    expect(reasons(callers)).toEqual(['overloaded', 'overloaded', 'waits', 'granted']);
  });

  it('each key has its own queue', () => {
    const clock = new VirtualClock();
    const settings = { limit: 1, queueLimit: 3, clock };
    const limiter = createLimiter({ ...settings, perKey: true, order });
    const [a, b] = [call(limiter, { key: 'a' }), call(limiter, { key: 'b' })];
    const ofA = [call(limiter, { key: 'a' })];
    clock.advance(150);
    ofA.push(call(limiter, { key: 'a' }));
    const ofB = [call(limiter, { key: 'b' }), call(limiter, { key: 'b' })];
    a.permit?.release();
    b.permit?.release();
    expect(reasons([...ofA, ...ofB])).toEqual(['overloaded', 'granted', 'granted', 'waits']);
  });
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
  [() => codel({ target: 0 }), 'target'],
  [() => codel({ interval: Number.NaN }), 'interval'],
  [() => codel({ tarket: 5 } as never), 'tarket'],
])('%s throws for an invalid option', (create, option) => {
  const code = expect.stringMatching(/^ERR_HEADGATE_(UNKNOWN_)?OPTION$/);
  expect(create).toThrow(expect.objectContaining({ code, option }));
});
