import { getEventListeners } from 'node:events';
import { expect, it } from 'vitest';
import { map } from '../src/index.ts';

const turn = () => new Promise(setImmediate);

/** Work that ends when the test lets it. */
function bench() {
  const started: number[] = [];
  const signals: AbortSignal[] = [];
  const ends = new Map<number, { finish: () => void; fail: (error: unknown) => void }>();
  const work = (item: number, _index: number, signal: AbortSignal) => {
    started.push(item);
    signals.push(signal);
    return new Promise<string>((resolve, reject) => {
      ends.set(item, { finish: () => resolve(`done ${item}`), fail: reject });
    });
  };
  const finish = async (item: number) => {
    ends.get(item)?.finish();
    await turn();
  };
  const fail = async (item: number, error: unknown) => {
    ends.get(item)?.fail(error);
    await turn();
  };
  return { started, signals, work, finish, fail };
}

it('map works on at most `limit` items at once, in order, and returns the results in the order of the items', async () => {
  const { started, work, finish } = bench();
  const results = map([1, 2, 3, 4], work, { limit: 2 });
  await turn();
  expect(started).toEqual([1, 2]);
  await finish(2);
  expect(started).toEqual([1, 2, 3]);
  await finish(3);
  await finish(4);
  await finish(1);
  expect(await results).toEqual(['done 1', 'done 2', 'done 3', 'done 4']);
});

it('fn gets the index and a signal', async () => {
  const results = await map('abc', (item, index, { aborted }) => [item, index, aborted], {
    limit: 3,
  });
  expect(results).toEqual([
    ['a', 0, false],
    ['b', 1, false],
    ['c', 2, false],
  ]);
});

it('map of no items resolves to an empty array', async () => {
  expect(await map([], () => expect.unreachable(), { limit: 1 })).toEqual([]);
});

it('an item is taken only when there is room to start it', async () => {
  const { work, finish } = bench();
  const drawn: number[] = [];
  async function* items() {
    for (const item of [1, 2, 3, 4]) {
      drawn.push(item);
      yield item;
    }
  }
  const results = map(items(), work, { limit: 2 });
  await turn();
  expect(drawn).toEqual([1, 2]);
  for (const item of [1, 2, 3, 4]) await finish(item);
  expect(await results).toHaveLength(4);
});

it('the first error rejects at once, starts no more items and aborts the signal of running calls', async () => {
  const { started, signals, work, fail, finish } = bench();
  const results = map([1, 2, 3, 4], work, { limit: 2 });
  const error = new Error('first');
  await turn();
  const rejected = expect(results).rejects.toBe(error);
  await fail(2, error);
  await rejected;
  expect(signals[0]?.reason).toBe(error);
  await finish(1);
  expect(started).toEqual([1, 2]);
});

it('a synchronous error is handled like any other', async () => {
  const error = new Error('at once');
  const throws = (): never => {
    throw error;
  };
  await expect(map([1, 2], throws, { limit: 1 })).rejects.toBe(error);
});

it('an abort rejects with its reason, starts no more items and aborts the signal of running calls', async () => {
  const { started, signals, work, finish } = bench();
  const controller = new AbortController();
  const { signal } = controller;
  const results = map([1, 2, 3], work, { limit: 1, signal });
  await turn();
  controller.abort(new Error('enough'));
  await expect(results).rejects.toThrow('enough');
  expect(signals[0]?.aborted).toBe(true);
  await finish(1);
  expect(started).toEqual([1]);
  expect(getEventListeners(signal, 'abort')).toHaveLength(0);
});

it('an abort does not wait for the next item', async () => {
  async function* never(): AsyncGenerator<number> {
    await new Promise(() => {});
  }
  const controller = new AbortController();
  const results = map(never(), () => 1, { limit: 1, signal: controller.signal });
  controller.abort(new Error('enough'));
  await expect(results).rejects.toThrow('enough');
});

it('an item that arrives after the abort is not started', async () => {
  let come = (_item: number) => {};
  async function* items() {
    yield await new Promise<number>((resolve) => (come = resolve));
  }
  const { started, work } = bench();
  const controller = new AbortController();
  const results = map(items(), work, { limit: 1, signal: controller.signal });
  await turn();
  controller.abort(new Error('enough'));
  await expect(results).rejects.toThrow('enough');
  come(1);
  await turn();
  expect(started).toEqual([]);
});

it('with an aborted signal no item is taken', async () => {
  const signal = AbortSignal.abort(new Error('before'));
  let drawn = 0;
  const items = { [Symbol.iterator]: () => ({ next: () => ({ value: drawn++, done: false }) }) };
  await expect(map(items, () => 1, { limit: 1, signal })).rejects.toThrow('before');
  expect(drawn).toBe(0);
});

it('an error of the iterator aborts the signal of running calls', async () => {
  const { signals, work } = bench();
  const error = new Error('no more');
  function* items() {
    yield 1;
    throw error;
  }
  await expect(map(items(), work, { limit: 2 })).rejects.toBe(error);
  expect(signals[0]?.reason).toBe(error);
});

it('an iterator is closed when map ends early', async () => {
  let closed = false;
  function* items() {
    try {
      yield 1;
      yield 2;
    } finally {
      closed = true;
    }
  }
  const fails = () => Promise.reject(new Error('first'));
  await expect(map(items(), fails, { limit: 1 })).rejects.toThrow('first');
  await turn();
  expect(closed).toBe(true);
});

it('no listener is left on the signal', async () => {
  const { signal } = new AbortController();
  await map([1, 2, 3], (item) => item, { limit: 1, signal });
  expect(getEventListeners(signal, 'abort')).toHaveLength(0);
});

it.each<[string, object | undefined, object]>([
  ['no options', undefined, { code: 'ERR_HEADGATE_OPTION', option: 'map' }],
  ['no limit', {}, { code: 'ERR_HEADGATE_OPTION', option: 'limit' }],
  ['limit 0', { limit: 0 }, { code: 'ERR_HEADGATE_OPTION', option: 'limit' }],
  ['limit 1.5', { limit: 1.5 }, { code: 'ERR_HEADGATE_OPTION', option: 'limit' }],
  [
    'concurrency',
    { limit: 1, concurrency: 4 },
    { code: 'ERR_HEADGATE_UNKNOWN_OPTION', option: 'concurrency' },
  ],
])('map rejects for %s', async (_, options, error) => {
  await expect(map([], () => 1, options as { limit: number })).rejects.toMatchObject(error);
});
