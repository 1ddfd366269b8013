import { expect, test } from 'vitest';
import type { Answer, Op } from '../src/index.ts';
import { lease, outcome, scene, settled, TestStore, timeout, World } from './world.ts';

const closed = { code: 'ERR_HEADGATE_REJECTED', rejection: { reason: 'closed' } };

/** Two processes with one limit. */
function pair(options: Parameters<World['limiter']>[0] = {}) {
  const world = new World();
  return { world, here: world.limiter(options), there: world.limiter(options) };
}

test('a paused limit admits no request of any process until it is resumed', async () => {
  const { here, there } = pair({ limit: 2 });
  const held = await there.acquire();
  here.pause();
  expect([here.state, there.state]).toEqual(['paused', 'open']);
  await settled();
  const waiting = [outcome(here.acquire()), outcome(there.acquire())];
  await settled();
  held.release();
  await settled();
  expect([there.state, waiting]).toEqual(['paused', [{}, {}]]);
  expect([here.queued, there.queued]).toEqual([1, 1]);
  there.resume();
  await settled();
  expect(waiting).toMatchObject([{ permit: { weight: 1 } }, { permit: { weight: 1 } }]);
  expect([here.state, there.state]).toEqual(['open', 'open']);
});

test('a request times out while the limit is paused', async () => {
  const { world, here, there } = pair({ queueTimeout: 500 });
  here.pause();
  const waiting = outcome(there.acquire());
  await world.advance(500);
  expect(waiting.error).toMatchObject({ rejection: { reason: 'timeout' } });
});

test('rejectAll() rejects the waiters of every process, and new requests, as closed', async () => {
  const { world, here, there } = pair();
  const held = await here.acquire();
  const waiting = [outcome(there.acquire()), outcome(here.acquire())];
  await settled();
  here.rejectAll();
  await settled();
  expect(waiting).toMatchObject([{ error: closed }, { error: closed }]);
  for (const limiter of [here, there, world.limiter()]) {
    await expect(limiter.acquire()).rejects.toMatchObject(closed);
    expect(limiter.state).toBe('rejecting');
  }
  expect(held.signal.aborted).toBe(false);
  held.release();
  await settled();
  expect(await world.stats()).toMatchObject({ inflight: 0, queued: 0 });
  there.resume();
  (await here.acquire()).release();
});

test('rejectAll() rejects waiters whose lease has not been requested yet', async () => {
  const { here, there } = pair({ handoff: 5 });
  const held = await there.acquire();
  const waiting = [outcome(there.acquire()), outcome(there.acquire())];
  await settled();
  here.rejectAll();
  await settled();
  expect(waiting).toMatchObject([{ error: closed }, { error: closed }]);
  held.release();
});

test('a rejected caller may reopen a rejecting limiter, which then rejects no further waiters', async () => {
  const { world, limiter } = scene({ limit: 1 });
  await limiter.acquire();
  const first = limiter.acquire().catch(() => limiter.resume());
  await settled();
  limiter.rejectAll();
  await first;
  const second = outcome(limiter.acquire());
  await world.advance(100);
  expect([limiter.state, second]).toEqual(['open', {}]);
});

test.each(['pause', 'rejectAll'] as const)(
  '%s releases idle leases in every process',
  async (name) => {
    const { world, here, there } = pair({ limit: 4, reserve: 2 });
    (await there.acquire()).release();
    (await here.acquire()).release();
    await settled();
    expect(await world.stats()).toMatchObject({ inflight: 2, processes: 2 });
    here[name]();
    await settled();
    expect(await world.stats()).toMatchObject({ inflight: 0, processes: 0 });
    // A permit that is released now is not kept either.
    const waiting = outcome(there.acquire());
    await settled();
    expect(waiting.permit).toBeUndefined();
  },
);

test('a permit released while the limit is paused is not passed to a waiter of the process', async () => {
  const { limiter } = scene({ handoff: 5 });
  const held = await limiter.acquire();
  const waiting = outcome(limiter.acquire());
  await settled();
  limiter.pause();
  held.release();
  await settled();
  expect(waiting).toEqual({});
  limiter.resume();
  await settled();
  expect(waiting.permit).toBeDefined();
});

test('an idle process receives the state of the limit with its next answer', async () => {
  const { here, there } = pair();
  here.shadow();
  await settled();
  expect(there.mode).toBe('enforce');
  await Promise.all([there.acquire(), there.acquire(), there.acquire()]);
  expect([there.mode, there.inflight]).toEqual(['shadow', 3]);
});

test('a process that starts later with another limit does not resume the limit', async () => {
  const { world, here } = pair({ limit: 2 });
  here.pause();
  await settled();
  const late = world.limiter({ limit: 5 });
  expect(outcome(late.acquire())).toEqual({});
  await settled();
  expect([late.state, late.limit]).toEqual(['paused', 5]);
});

test('each operation is reported in the process that operates', async () => {
  const world = new World();
  const events: string[] = [];
  const observe = (process: string) => ({
    operated: ({ operation }: { operation: string }) => void events.push(`${process} ${operation}`),
  });
  const here = world.limiter({ observer: observe('here') });
  const there = world.limiter({ observer: observe('there') });
  for (const name of ['pause', 'resume', 'rejectAll', 'resume', 'shadow', 'enforce'] as const) {
    here[name]();
  }
  (await there.acquire()).release();
  const own = ['pause', 'resume', 'rejectAll', 'resume', 'shadow', 'enforce'];
  expect(events).toEqual(own.map((name) => `here ${name}`));
  await here.close();
  expect(() => here.pause()).toThrow('it is closed');
});

test('a process restores the state of the limit in a store that has lost it', async () => {
  const { world, here, there } = pair();
  here.pause();
  await settled();
  await world.advance(20);
  world.memory.wipe();
  (await there.acquire()).release();
  const waiting = outcome(here.acquire());
  await settled();
  expect([waiting, outcome(there.acquire())]).toEqual([{}, {}]);
  await settled();
  expect(there.state).toBe('paused');
});

/** A store whose answers say that the limit is operated in ways that do not exist. */
class OddStore extends TestStore {
  operated: unknown;

  override async send(ops: readonly Op[]): Promise<Answer[]> {
    const answers = await super.send(ops);
    return answers.map((answer) => ({ ...answer, operated: this.operated }) as Answer);
  }
}

test.each([
  { status: 'closed', mode: 'enforce', version: '9' },
  { status: 'paused', mode: 'dark', version: '9' },
  { status: 'paused', mode: 'enforce', version: 'soon' },
  { status: 'paused', mode: 'enforce', version: '' },
])('an answer with the invalid state %o is ignored', async (operated) => {
  const world = new World();
  const store = world.connect({}, OddStore);
  store.operated = operated;
  const limiter = world.limiter({ store });
  (await limiter.acquire()).release();
  expect([limiter.state, limiter.mode]).toEqual(['open', 'enforce']);
});

test('an outdated answer changes nothing', async () => {
  const world = new World();
  const store = world.connect({}, OddStore);
  const limiter = world.limiter({ store });
  store.operated = { status: 'rejecting', mode: 'enforce', version: '9' };
  await expect(limiter.acquire()).rejects.toMatchObject(closed);
  store.operated = { status: 'open', mode: 'shadow', version: '8' };
  await limiter.acquire().catch(() => {});
  expect([limiter.state, limiter.mode]).toEqual(['rejecting', 'enforce']);
});

test('a change that the store refuses is sent again with the next request', async () => {
  const { world, store, limiter } = scene({ onStoreError: 'local' });
  const other = world.limiter();
  (await limiter.acquire()).release();
  await settled();
  store.trouble = 'refused';
  limiter.rejectAll();
  await settled();
  store.trouble = undefined;
  (await other.acquire()).release();
  await expect(limiter.acquire()).rejects.toMatchObject(closed);
  await expect(other.acquire()).rejects.toMatchObject(closed);
});

test('a waiter receives a change whose message was lost when it renews its position', async () => {
  const world = new World();
  const store = world.connect();
  const [here, there] = [world.limiter(), world.limiter({ store })];
  await here.acquire();
  const waiting = outcome(there.acquire());
  await settled();
  store.mute = true;
  here.rejectAll();
  await settled();
  expect(waiting).toEqual({});
  await world.advance(lease / 2 + timeout);
  expect(waiting.error).toMatchObject(closed);
});

/** A store that answers only once it may. */
class SlowStore extends TestStore {
  answer = () => {};
  readonly #mayAnswer = new Promise<void>((resolve) => {
    this.answer = resolve;
  });

  override async send(ops: readonly Op[]): Promise<Answer[]> {
    await this.#mayAnswer;
    return super.send(ops);
  }
}

test.each(['pause', 'setLimit'] as const)(
  'close() resolves once the store has answered a %s',
  async (name) => {
    const world = new World();
    const store = world.connect({}, SlowStore);
    const limiter = world.limiter({ store, limit: 2 });
    const other = world.limiter({ limit: 2, observer: { conflict: () => {} } });
    (await other.acquire()).release();
    await world.advance(10);
    if (name === 'pause') limiter.pause();
    else limiter.setLimit(3);
    const events: string[] = [];
    const closing = limiter.close().then(() => events.push('closed'));
    await settled();
    expect(events).toEqual([]);
    store.answer();
    await closing;
    outcome(other.acquire());
    await settled();
    expect([other.state, other.limit]).toEqual(name === 'pause' ? ['paused', 2] : ['open', 3]);
  },
);
