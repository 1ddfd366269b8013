import { describe, expect, test, vi } from 'vitest';
import { type Answer, type Op, StoreError } from '../src/index.ts';
import { lease, outcome, type scene, settled, TestStore, timeout, World } from './world.ts';

const down = new StoreError('ERR_HEADGATE_STORE_DOWN', 'connection refused');

/** A store whose server can be stopped: each call then fails at once. */
class RestartedStore extends TestStore {
  isDown = false;
  /** Whether calls are executed although their connection is lost. */
  isExecuted = false;
  /** Number of calls that found no server. */
  attempts = 0;

  override async send(ops: readonly Op[]): Promise<Answer[]> {
    if (this.isDown) this.attempts++;
    if (!this.isDown || this.isExecuted) {
      const answers = await super.send(ops);
      if (!this.isDown) return answers;
    }
    return ops.map(() => ({ error: down }));
  }

  override async stats(ref: { name: string }) {
    if (this.isDown) throw down;
    return super.stats(ref);
  }
}

function restarted(options: Parameters<typeof scene>[0] = {}) {
  const reported: boolean[] = [];
  const observer = { store: ({ up }: { up: boolean }) => void reported.push(up) };
  const world = new World();
  const store = world.connect({}, RestartedStore);
  return { world, store, limiter: world.limiter({ store, observer, ...options }), reported };
}

describe('a server that is away for less than the timeout of a call', () => {
  test.each([0.2, 0.5, 0.9])(
    'rejects no waiter and no new caller after %d timeouts',
    async (part) => {
      const { world, store, limiter, reported } = restarted({ limit: 2 });
      const held = [await limiter.acquire(), await limiter.acquire()];
      const all = Array.from({ length: 10 }, () => outcome(limiter.acquire()));
      await settled();
      store.isDown = true;
      store.listener?.state(false, down);
      for (let i = 0; i < 3; i++) all.push(outcome(limiter.acquire()));
      await world.advance(part * timeout);
      store.isDown = false;
      await world.advance(timeout);
      for (const permit of held) permit.release();
      for (const seen of all) {
        await settled();
        expect(seen.error).toBeUndefined();
        seen.permit?.release();
      }
      await settled();
      expect(reported).toEqual([]);
      expect(await world.stats()).toMatchObject({ inflight: 0, queued: 0 });
    },
  );

  test('costs few calls, however many callers arrive meanwhile', async () => {
    const { world, store, limiter } = restarted({ limit: 1_000 });
    store.isDown = true;
    const all = Array.from({ length: 20 }, () => []).map(async () => {
      const seen = outcome(limiter.acquire());
      await world.advance(timeout / 40);
      return seen;
    });
    await Promise.all(all);
    expect(store.attempts).toBeGreaterThan(2);
    expect(store.attempts).toBeLessThan(20);
    store.isDown = false;
    await world.advance(timeout);
    expect(limiter.inflight).toBe(20);
  });

  test('executes a release once, even if the connection is lost before its answer', async () => {
    const lost: unknown[] = [];
    const { world, store, limiter } = restarted();
    limiter.observe({ lost: (event) => void lost.push(event) });
    const held = await limiter.acquire();
    store.isDown = true;
    store.isExecuted = true;
    held.release();
    await settled();
    expect(await world.stats()).toMatchObject({ inflight: 0 });
    store.isDown = false;
    await world.advance(timeout);
    expect([lost, limiter.stats().distributed?.lost]).toEqual([[], 0]);
  });

  test('is called once for calls that have failed one after the other', async () => {
    const { world, store, limiter } = restarted({ limit: 2 });
    let lose = () => {};
    const lost = new Promise<void>((resolve) => {
      lose = resolve;
    });
    const send = vi.spyOn(store, 'send').mockImplementation(async (ops) => {
      await lost;
      return ops.map(() => ({ error: down }));
    });
    for (let i = 0; i < 2; i++) {
      void limiter.acquire();
      await settled();
    }
    lose();
    await settled();
    send.mockRestore();
    for (let passed = 0; passed < 100; passed += 10) await world.advance(10);
    expect(store.calls).toEqual([['acquire', 'acquire']]);
    expect(limiter.inflight).toBe(2);
  });

  test.each([
    ['its connection', (store: TestStore) => store.listener?.state(true)],
    ['a new subscription', (store: TestStore) => store.listener?.check()],
  ])('is used again as soon as the store reports %s', async (_, report) => {
    const { store, limiter } = restarted();
    store.isDown = true;
    const asked = outcome(limiter.acquire());
    await settled();
    store.isDown = false;
    report(store);
    await settled();
    expect(asked.permit).toBeDefined();
    asked.permit?.release();
  });
});

describe('a server that is away for longer than the timeout of a call', () => {
  test('rejects the first caller when the timeout has passed, and later ones at once', async () => {
    const { world, store, limiter, reported } = restarted();
    store.isDown = true;
    const first = outcome(limiter.acquire());
    await world.advance(0.9 * timeout);
    expect([first.error, reported]).toEqual([undefined, []]);
    await world.advance(0.1 * timeout);
    expect(first.error).toMatchObject({ rejection: { reason: 'store', error: down } });
    expect(reported).toEqual([false]);
    await expect(limiter.acquire()).rejects.toMatchObject({ code: 'ERR_HEADGATE_STORE_DOWN' });
    store.isDown = false;
    await world.advance(lease);
    expect(reported).toEqual([false, true]);
  });

  test('rejects waiters when the timeout has passed since the store lost its connection', async () => {
    const { world, store, limiter } = restarted();
    const held = await limiter.acquire();
    const waiting = outcome(limiter.acquire());
    await settled();
    store.isDown = true;
    store.listener?.state(false, down);
    // A store may report it more than once.
    await world.advance(timeout / 2);
    store.listener?.state(false, down);
    await world.advance(timeout / 2 - 1);
    expect(waiting.error).toBeUndefined();
    await world.advance(1);
    expect(waiting.error).toMatchObject({ code: 'ERR_HEADGATE_STORE_DOWN' });
    held.release();
  });
});

test('a call of a closed store is not repeated', async () => {
  const { store, limiter } = restarted();
  Object.defineProperty(store, 'closed', { value: true });
  store.isDown = true;
  const asked = outcome(limiter.acquire());
  await settled();
  expect(asked.error).toMatchObject({ code: 'ERR_HEADGATE_STORE_DOWN' });
});
