import { VirtualClock } from '@headgate/test-suite';
import { describe, expect, it } from 'vitest';
import {
  adaptive,
  codel,
  createGate,
  createLimiter,
  type LimitFactory,
  type Operation,
  paced,
  type Sample,
} from '../src/index.ts';
import { memoryStore } from '../src/memory-store/index.ts';
import { call } from './caller.ts';

function scene({ limit = 2, queueLimit = 2 } = {}) {
  const clock = new VirtualClock();
  const operated: string[] = [];
  const limiter = createLimiter({
    name: 'reports',
    limit,
    queueLimit,
    queueTimeout: 100,
    clock,
    observer: {
      operated: ({ name, operation, limit }) => void operated.push(`${name} ${operation} ${limit}`),
    },
  });
  return { clock, limiter, operated };
}

describe('a paused limiter', () => {
  it('queues new requests up to its queue limit, although there is room', () => {
    const { limiter } = scene();
    limiter.pause();
    expect(limiter.state).toBe('paused');
    const [first, second, third] = [call(limiter), call(limiter), call(limiter)];
    expect([first.answers, second.answers, limiter.queued]).toEqual([0, 0, 2]);
    expect(third.rejection).toMatchObject({ reason: 'full' });
    expect(limiter.tryAcquire()).toBeUndefined();
    limiter.resume();
    expect([first.answers, second.answers, limiter.inflight]).toEqual([1, 1, 2]);
    expect(limiter.state).toBe('open');
  });

  it('rejects its waiters after their timeout', () => {
    const { clock, limiter } = scene();
    limiter.pause();
    const waiting = call(limiter);
    clock.advance(100);
    expect(waiting.rejection).toMatchObject({ reason: 'timeout', waited: 100 });
    expect(clock.armed).toBe(0);
  });

  it('grants nothing that running requests release, and admits in the order of arrival afterwards', () => {
    const { limiter } = scene({ limit: 1 });
    const running = call(limiter);
    const waiting = [call(limiter), call(limiter)];
    limiter.pause();
    running.permit?.release();
    limiter.setLimit(3);
    expect(waiting.map(({ answers }) => answers)).toEqual([0, 0]);
    limiter.setLimit(1);
    limiter.resume();
    expect(waiting.map(({ answers }) => answers)).toEqual([1, 0]);
  });

  it('is paused by a waiter that is being granted', () => {
    const { limiter } = scene({ limit: 2 });
    limiter.pause();
    const first = call(limiter, { onGranted: () => limiter.pause() });
    const second = call(limiter);
    limiter.resume();
    expect([first.answers, second.answers, limiter.state]).toEqual([1, 0, 'paused']);
  });

  it('does not grant the waiter whose gone() has paused it', () => {
    const { limiter } = scene({ limit: 1 });
    const running = call(limiter);
    let pauses = true;
    const waiting = call(limiter, {
      gone: () => {
        if (pauses) limiter.pause();
        return false;
      },
    });
    running.permit?.release();
    expect([waiting.answers, limiter.queued, limiter.state]).toEqual([0, 1, 'paused']);
    pauses = false;
    limiter.resume();
    expect(waiting.permit).toBeDefined();
  });

  it('sheds nothing with paced() and codel() until it is resumed', () => {
    for (const order of [paced(), codel()]) {
      const clock = new VirtualClock();
      const options = { limit: 1, queueLimit: Infinity, queueTimeout: 60_000, order, clock };
      const limiter = createLimiter(options);
      limiter.pause();
      const waiting = [call(limiter), call(limiter)];
      clock.advance(10_000);
      expect(waiting.map(({ answers }) => answers)).toEqual([0, 0]);
      limiter.resume();
      expect(waiting.some(({ permit }) => permit !== undefined)).toBe(true);
    }
  });

  it('of a gate queues the requests of the gate, which times them out', () => {
    const clock = new VirtualClock();
    const app = createLimiter({ name: 'app', limit: 2, clock });
    const gate = createGate({
      limits: [{ name: 'user', limit: 1, perKey: true }, { limiter: app }],
      queueLimit: 5,
      queueTimeout: 50,
      clock,
    });
    app.pause();
    const answer = gate.acquire({ keys: { user: 'ann' } });
    expect(gate.queued).toBe(0);
    clock.advance(50);
    return expect(answer).rejects.toMatchObject({ rejection: { limitName: 'app' } });
  });
});

describe('a drained limiter', () => {
  it('rejects queued and new requests as closed, and lets running ones finish', () => {
    const { limiter } = scene({ limit: 1 });
    const running = call(limiter);
    const waiting = call(limiter);
    limiter.drain();
    expect(waiting.rejection).toMatchObject({ reason: 'closed' });
    expect(call(limiter).rejection).toMatchObject({ reason: 'closed' });
    expect(limiter.tryAcquire()).toBeUndefined();
    expect(running.permit?.signal.aborted).toBe(false);
    running.permit?.release();
    expect([limiter.state, limiter.closed, limiter.inflight]).toEqual(['drained', false, 0]);
    limiter.resume();
    expect(call(limiter).permit).toBeDefined();
  });

  it('stops rejecting if a rejected caller resumes it', () => {
    const { limiter } = scene({ limit: 1 });
    const running = call(limiter);
    const first = call(limiter, { onRejected: () => limiter.resume() });
    const second = call(limiter);
    limiter.drain();
    expect([first.answers, second.answers, limiter.queued]).toEqual([1, 0, 1]);
    running.permit?.release();
    expect(second.permit).toBeDefined();
  });

  it('can be paused instead', () => {
    const { limiter } = scene();
    limiter.drain();
    limiter.pause();
    const waiting = call(limiter);
    expect(waiting.answers).toBe(0);
    limiter.resume();
    expect(waiting.permit).toBeDefined();
  });

  it('rejects the requests of a gate', async () => {
    const gate = createGate({
      limits: [
        { name: 'user', limit: 1, perKey: true },
        { name: 'app', limit: 1 },
      ],
    });
    gate.limits[1]?.limiter.drain();
    const answer = gate.acquire({ keys: { user: 'ann' } });
    await expect(answer).rejects.toMatchObject({
      rejection: { reason: 'closed', limitName: 'app' },
    });
    expect(gate.stats()).toMatchObject({ inflight: 0, rejected: { closed: 1 } });
    expect(gate.limits.map(({ limiter }) => limiter.inflight)).toEqual([0, 0]);
  });
});

/** An adaptive limit that does what the test says. */
class Scripted implements LimitFactory {
  limit = 5;
  samples: Sample[] = [];
  stalls = 0;

  create() {
    const own = this;
    return {
      get limit() {
        return own.limit;
      },
      sample: (sample: Sample) => void own.samples.push(sample),
      stalled: () => void own.stalls++,
    };
  }
}

describe('a frozen limit', () => {
  function adaptiveScene() {
    const clock = new VirtualClock();
    const limit = new Scripted();
    const limiter = createLimiter({ limit, queueLimit: 5, clock });
    const work = () => call(limiter).permit;
    return { clock, limit, limiter, work };
  }

  it('keeps its value, and gives its algorithm no samples', () => {
    const { limit, limiter, work } = adaptiveScene();
    limiter.freeze();
    expect(limiter.frozen).toBe(true);
    limit.limit = 9;
    work()?.release();
    expect([limiter.limit, limit.samples.length]).toEqual([5, 0]);
  });

  it('can be set, which is an error without freezing it', () => {
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

  it('gives its algorithm no samples of work admitted while it was frozen', () => {
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

  it('does not grow because requests are rejected', () => {
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
    expect(limit.stalls).toBe(0);
    limiter.unfreeze();
    reject();
    expect(limit.stalls).toBeGreaterThan(0);
  });
});

it('the time without work before a burst does not count as a stall of an adaptive limit', () => {
  const clock = new VirtualClock();
  const limit = new Scripted();
  const limiter = createLimiter({ limit, clock });
  for (let bursts = 0; bursts < 3; bursts++) {
    const callers = Array.from({ length: 6 }, () => call(limiter));
    clock.advance(100);
    for (const { permit } of callers) permit?.release();
    clock.advance(60_000);
  }
  expect(limit.stalls).toBe(0);
});

it('rejections while a limiter is paused do not count as a stall of its adaptive limit', () => {
  const clock = new VirtualClock();
  const limit = new Scripted();
  const limiter = createLimiter({ limit, clock });
  const full = () => call(limiter);
  limiter.pause();
  for (let i = 0; i < 60; i++) {
    full();
    clock.advance(1_000);
  }
  limiter.resume();
  expect(limit.stalls).toBe(0);
  for (let i = 0; i < 5; i++) call(limiter);
  full();
  expect(limit.stalls).toBe(0);
});

it('reports each operation that changes something', () => {
  const { limiter, operated } = scene();
  for (const name of ['resume', 'pause', 'pause', 'drain', 'resume', 'resume'] as const) {
    limiter[name]();
  }
  limiter.setLimit(4);
  expect(operated).toEqual([
    'reports pause 2',
    'reports drain 2',
    'reports resume 2',
    'reports setLimit 4',
  ]);
});

it('reports the operations on an adaptive limit, and on the limits that a gate has made', () => {
  const operated: string[] = [];
  const gate = createGate({
    limits: [
      { name: 'user', limit: 1, perKey: true },
      { name: 'app', limit: adaptive({ initial: 7 }) },
    ],
    observer: {
      operated: ({ name, operation, limit }) => void operated.push(`${name} ${operation} ${limit}`),
    },
  });
  const limiter = gate.limits[1]?.limiter;
  limiter?.freeze();
  limiter?.freeze();
  limiter?.setLimit(3);
  limiter?.unfreeze();
  expect(operated).toEqual(['app freeze 7', 'app setLimit 3', 'app unfreeze 7']);
});

const local: readonly Operation[] = ['pause', 'drain', 'resume', 'shadow', 'enforce'];
const all: readonly Operation[] = [...local, 'freeze', 'unfreeze'];
const shadow = { limits: [{ name: 'a', limit: 1 }], mode: 'shadow' } as const;

it.each([
  ['a fixed limit', () => createLimiter({ limit: 1 }), ['setLimit', ...local]],
  ['an adaptive limit', () => createLimiter({ limit: adaptive() }), ['setLimit', ...all]],
  ['a limit in shadow mode', () => createGate(shadow).limits[0]?.limiter, ['setLimit', ...local]],
  [
    'a distributed limit',
    () => createLimiter({ name: 'a', limit: 1, store: memoryStore() }),
    ['setLimit', ...local],
  ],
])('%s supports its own operations only', async (_name, create, operations) => {
  const limiter = create();
  expect(limiter?.operations).toEqual(operations);
  for (const operation of all) {
    const operate = () => limiter?.[operation as 'pause']();
    if (operations.includes(operation)) expect(operate).not.toThrow();
    else {
      expect(operate).toThrow(
        expect.objectContaining({
          code: 'ERR_HEADGATE_UNSUPPORTED',
          message: expect.stringContaining(`does not support ${operation}: it supports`),
        }),
      );
    }
  }
  await limiter?.close();
  expect(limiter?.state).toBe('closed');
  for (const operation of all) {
    expect(() => limiter?.[operation as 'pause'](), operation).toThrow('it is closed');
  }
});
