import { getEventListeners } from 'node:events';
import { call } from '@headgate/test-kit/caller';
import { VirtualClock } from '@headgate/test-suite';
import { describe, expect, it } from 'vitest';
import { createGate, createLimiter, lifo, map, type Observer, type Permit } from '../src/index.ts';

interface Waiting {
  signal?: AbortSignal;
  queueTimeout?: number;
}

/** A limiter or a gate. */
interface Entrance {
  acquire(options?: Waiting): Promise<Permit>;
  run<T>(fn: () => T, options?: Waiting): Promise<T>;
  observe(observer: Observer): () => void;
  close(): Promise<number>;
  stats(): object;
}

const settings = { queueLimit: 2, queueTimeout: 100 };
const limits = [{ name: 'app', limit: 1 }];

describe.each<[string, (clock: VirtualClock) => Entrance]>([
  ['a limiter', (clock) => createLimiter({ limit: 1, ...settings, clock })],
  ['a gate', (clock) => createGate({ limits, ...settings, clock })],
])('%s', (_, create) => {
  function occupied() {
    const clock = new VirtualClock();
    const entrance = create(clock);
    const held = entrance.acquire();
    const controller = new AbortController();
    const listeners = () => getEventListeners(controller.signal, 'abort').length;
    return { clock, entrance, held, controller, signal: controller.signal, listeners };
  }

  it('an abort withdraws the waiter and rejects with its reason', async () => {
    const { clock, entrance, controller, signal } = occupied();
    const waiting = entrance.acquire({ signal });
    expect(entrance.stats()).toMatchObject({ queued: 1 });
    const reason = new Error('changed my mind');
    controller.abort(reason);
    expect(entrance.stats()).toMatchObject({ holders: 1, queued: 0, withdrawn: 1 });
    await expect(waiting).rejects.toBe(reason);
    expect(clock.armed).toBe(0);
  });

  it('a waiter listens to its signal only while it is queued', async () => {
    const { entrance, held, signal, listeners } = occupied();
    const waiting = [entrance.acquire({ signal }), entrance.acquire({ signal })];
    expect(listeners()).toBe(1);
    await expect(entrance.acquire({ signal })).rejects.toThrow('full');
    expect(listeners()).toBe(1);
    (await held).release();
    (await waiting[0])?.release();
    await (await waiting[1])?.release();
    await entrance.run(() => expect(listeners()).toBe(0), { signal });
    expect(listeners()).toBe(0);
  });

  it('a waiter leaves no listener on a reused signal, however its wait ends', async () => {
    const { clock, entrance, held, signal, listeners } = occupied();
    const timed = entrance.acquire({ signal });
    clock.advance(100);
    await expect(timed).rejects.toThrow('timeout');
    expect(listeners()).toBe(0);
    const closed = entrance.acquire({ signal });
    const closing = entrance.close();
    await expect(closed).rejects.toThrow('closed');
    expect(listeners()).toBe(0);
    (await held).release();
    await closing;
  });

  it('a request that cannot be queued leaves no listener', async () => {
    const { entrance, signal, listeners } = occupied();
    const waiting = entrance.acquire({ signal, queueTimeout: Number.NaN });
    await expect(waiting).rejects.toMatchObject({ code: 'ERR_HEADGATE_OPTION' });
    expect(listeners()).toBe(0);
  });

  it('an abort after the grant does not release the permit', async () => {
    const { entrance, held, controller, signal } = occupied();
    const waiting = entrance.acquire({ signal });
    (await held).release();
    controller.abort();
    expect(entrance.stats()).toMatchObject({ holders: 1, withdrawn: 0 });
    (await waiting).release();
    expect(entrance.stats()).toMatchObject({ holders: 0 });
  });

  it('run does not call the function after an abort between the grant and the call', async () => {
    const { entrance, held, controller, signal } = occupied();
    await held;
    let calls = 0;
    const running = entrance.run(() => calls++, { signal });
    (await held).release();
    controller.abort(new Error('too late'));
    await expect(running).rejects.toThrow('too late');
    expect(calls).toBe(0);
    expect(entrance.stats()).toMatchObject({ holders: 0 });
  });

  it('acquire() rejects at once with an aborted signal, and does not count the request', async () => {
    const { entrance } = occupied();
    const signal = AbortSignal.abort(new Error('before'));
    await expect(entrance.acquire({ signal })).rejects.toThrow('before');
    expect(entrance.stats()).toMatchObject({ queued: 0, withdrawn: 0, rejected: { full: 0 } });
  });
});

it('a signal that is aborted within the rejection of a displaced waiter rejects with its reason', async () => {
  const clock = new VirtualClock();
  const limiter = createLimiter({ limit: 1, queueLimit: 1, queueTimeout: 100, clock });
  limiter.tryAcquire();
  const controller = new AbortController();
  call(limiter, { onRejected: () => controller.abort(new Error('gone')) });
  clock.busy(100);
  await expect(limiter.acquire({ signal: controller.signal })).rejects.toThrow('gone');
  expect(limiter.queued).toBe(0);
});

it.each([
  ['a limiter', (options) => createLimiter({ limit: 1, ...options })],
  ['a gate', (options) => createGate({ limits: [...limits, { name: 'b', limit: 1 }], ...options })],
] as [string, (options: object) => Entrance][])(
  'a signal that an observer aborts, while %s makes room, leaves no waiter behind',
  async (_, create) => {
    const controller = new AbortController();
    const clock = new VirtualClock();
    const entrance = create({ queueLimit: 1, order: lifo(), clock });
    entrance.observe({ rejected: () => controller.abort(new Error('gone')) });
    await entrance.acquire();
    const displaced = entrance.acquire();
    const waiting = entrance.acquire({ signal: controller.signal });
    await expect(displaced).rejects.toThrow('full');
    await expect(waiting).rejects.toThrow('gone');
    expect(entrance.stats()).toMatchObject({ holders: 1, queued: 0 });
    expect(clock.armed).toBe(0);
  },
);

/** As much as one handler may start: Node 20 warns of the eleventh listener of a signal that is not exempt. */
async function listenTwenty(signal: AbortSignal): Promise<void> {
  for (let listener = 0; listener < 20; listener++) signal.addEventListener('abort', () => {});
  // Warnings are emitted later, and fail the test.
  await new Promise(setImmediate);
}

it('the signal of a permit and that of `map` accept any number of listeners without a warning', async () => {
  await createLimiter({ limit: 1 }).run(({ signal }) => listenTwenty(signal));
  await map([1], (_, _index, signal) => listenTwenty(signal), { limit: 1 });
});
