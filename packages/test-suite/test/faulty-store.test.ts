import { StoreError } from '@headgate/store-kit';
import { Memory, memoryStore } from '@headgate/store-kit/memory-store';
import { beforeEach, describe, expect, it } from 'vitest';
import { faultyStore, storeSuite, VirtualClock } from '../src/index.ts';
import { aRound } from '../src/kit/index.ts';
import { LimitView } from '../src/store/lease-probe.ts';
import { StoreProcess } from '../src/store/store-process.ts';

const timeout = 100;
const longWait = { wait: 5000 };
const late = expect.objectContaining({ code: 'ERR_HEADGATE_STORE_TIMEOUT' });

function scene() {
  const clock = new VirtualClock();
  const memory = new Memory({ clock });
  const open = () => {
    const store = faultyStore(memoryStore({ memory, clock, leaseDuration: 1000, timeout }));
    return { store, view: new LimitView(new StoreProcess(store), 'one', undefined, 1) };
  };
  return { clock, memory, ...open(), others: open() };
}

let { clock, store, view, others } = scene();
beforeEach(() => {
  ({ clock, store, view, others } = scene());
});

/** The result of a call that must not settle before its timeout. */
async function lateCall(): Promise<unknown> {
  const answer = view.process.send([view.probe().op('acquire')]);
  let isSettled = false;
  void answer.then(() => {
    isSettled = true;
  });
  clock.advance(timeout - 1);
  await aRound();
  expect(isSettled).toBe(false);
  clock.advance(1);
  return (await answer)[0];
}

describe('faulty calls', () => {
  it('fail immediately, and are not executed', async () => {
    store.faults = { call: () => 'fail' };
    const [answer] = await view.process.send([view.probe().op('acquire')]);
    expect(answer).toEqual({ error: expect.any(StoreError) });
    expect(answer).toMatchObject({ error: { code: 'ERR_HEADGATE_STORE_DOWN' } });
    await expect(view.stats()).rejects.toMatchObject({ code: 'ERR_HEADGATE_STORE_DOWN' });
    expect(await others.view.stats()).toMatchObject({ inflight: 0 });
    expect(clock.armed).toBe(0);
  });

  it('are dropped, and not executed', async () => {
    store.faults = { call: () => 'drop' };
    expect(await lateCall()).toEqual({ error: late });
    expect(await others.view.stats()).toMatchObject({ inflight: 0 });
  });

  it('are executed, but lose their replies', async () => {
    store.faults = { call: ([op]) => (op?.verb === 'acquire' ? 'lose' : undefined) };
    expect(await lateCall()).toEqual({ error: late });
    expect(await view.stats()).toMatchObject({ inflight: 1 });
  });

  it('are repeated', async () => {
    const held = await view.acquire();
    store.faults = { call: () => 'repeat' };
    expect((await held.release()).state).toBe('lost');
    expect(await others.view.stats()).toMatchObject({ inflight: 0 });
  });

  it('are delayed together with later calls, in order', async () => {
    const [first, second] = [view.probe(), view.probe()];
    store.faults = { call: ([op]) => (op?.verb === 'acquire' ? { delay: 60 } : undefined) };
    const held = first.do('acquire');
    clock.advance(30);
    store.faults = {};
    const released = first.release();
    const full = others.view.acquire();
    expect((await full).state).toBe('held');
    expect(await others.view.stats()).toMatchObject({ inflight: 1 });
    await (await full).release();
    clock.advance(30);
    expect([(await held).state, (await released).state]).toEqual(['held', 'ok']);
    expect((await second.do('acquire')).state).toBe('held');
    expect(clock.armed).toBe(0);
  });

  it('are executed even after their timeout', async () => {
    store.faults = { call: () => ({ delay: 2 * timeout }) };
    expect(await lateCall()).toEqual({ error: late });
    expect(await others.view.stats()).toMatchObject({ inflight: 0 });
    clock.advance(timeout);
    await aRound();
    expect(await others.view.stats()).toMatchObject({ inflight: 1 });
  });
});

describe('faulty messages', () => {
  async function grant() {
    const held = await others.view.acquire();
    const waiting = await view.acquire(longWait);
    await held.release();
    await aRound();
    return waiting;
  }

  it('are dropped', async () => {
    store.faults = { message: () => 'drop' };
    const waiting = await grant();
    expect(waiting.grants).toEqual([]);
    expect((await waiting.do('stay')).state).toBe('held');
  });

  it('are repeated', async () => {
    store.faults = { message: () => 'repeat' };
    expect((await grant()).grants.length).toBe(2);
  });

  it('are delayed', async () => {
    store.faults = { message: (message) => (message === 'grant' ? { delay: 50 } : undefined) };
    const waiting = await grant();
    clock.advance(49);
    expect(waiting.grants).toEqual([]);
    clock.advance(1);
    expect(waiting.grants.length).toBe(1);
  });

  it('report the connection and checks on command', () => {
    const received: unknown[] = [];
    const other = faultyStore(memoryStore({ clock }));
    const error = new StoreError('ERR_HEADGATE_STORE_DOWN', 'gone');
    const unlisten = other.listen({
      grant: () => {},
      recall: () => {},
      check: () => void received.push('check'),
      state: (...state) => void received.push(state),
    });
    other.say(false, error);
    other.say(true);
    other.check();
    expect(received).toEqual([[false, error], [true, undefined], 'check']);
    unlisten();
    other.say(false);
    expect(received.length).toBe(3);
  });
});

const memory = new Memory();
let isHanging = false;

storeSuite({
  name: 'a faulty store without faults, which may hang',
  connect: (times) => {
    const faulty = faultyStore(memoryStore({ memory, ...times }));
    faulty.faults = { call: () => (isHanging ? 'lose' : undefined) };
    return faulty;
  },
  leaseDuration: 300,
  hang: () => {
    isHanging = true;
    return () => {
      isHanging = false;
    };
  },
});
