import { expect, test, vi } from 'vitest';
import { type Answer, memoryStore, type Op } from '../../src/shared/index.ts';
import { Line, lease, outcome, settled, timeout, World } from './world.ts';

/** Answers what the test wants. */
class Babbler extends Line {
  nonsense: unknown;
  override async send(ops: readonly Op[]): Promise<Answer[]> {
    return this.nonsense === undefined ? super.send(ops) : (this.nonsense as Answer[]);
  }
}

test.each([
  ['nothing', []],
  ['null', [null]],
  ['a word', ['held']],
  ['an object that says nothing', [{}]],
  ['no list', null],
])('a store that answers %s has failed, until it makes sense again', async (_, nonsense) => {
  const world = new World();
  const { memory, clock } = world;
  const store = new Babbler(memoryStore({ memory, lease, timeout, clock }), clock);
  const limiter = world.limiter({ store });
  store.nonsense = nonsense;
  await expect(limiter.acquire()).rejects.toMatchObject({
    code: 'ERR_HEADGATE_STORE_DOWN',
    rejection: { reason: 'store' },
  });
  store.nonsense = undefined;
  await world.advance(2 * timeout);
  (await limiter.acquire()).release();
  await world.advance(lease);
  expect(await world.stats()).toMatchObject({ inflight: 0, queued: 0 });
});

test('where others wait for one limit, what is kept in reserve of another stays', async () => {
  const world = new World();
  const store = world.line();
  const options = { store, limit: 2, reserve: 1 };
  const [wanted, quiet] = [
    world.limiter({ ...options, name: 'wanted' }),
    world.limiter({ ...options, name: 'quiet' }),
  ];
  for (const limiter of [wanted, quiet]) (await limiter.acquire()).release();
  await settled();
  const other = world.limiter({ name: 'wanted', limit: 2 });
  const all = [outcome(other.acquire()), outcome(other.acquire())];
  await settled();
  expect(all.map(({ permit }) => permit !== undefined)).toEqual([true, true]);
  expect((await world.stats('quiet')).holders).toBe(1);
  for (const { permit } of all) permit?.release();
});

test('the first in line asks as soon as a dead process’s place may be free', async () => {
  const world = new World();
  const dead = world.line();
  await world.limiter({ store: dead }).acquire();
  dead.trouble = 'silent';
  await world.advance(lease - 500);
  const store = world.line();
  const limiter = world.limiter({ store });
  const first = outcome(limiter.acquire());
  const second = outcome(limiter.acquire());
  await world.advance(450);
  expect(store.calls).toEqual([['acquire', 'acquire']]);
  await world.advance(100);
  expect(store.calls).toEqual([['acquire', 'acquire'], ['stay']]);
  expect([first.permit !== undefined, second.permit !== undefined]).toEqual([true, false]);
  first.permit?.release();
  await settled();
  second.permit?.release();
});

test('a runtime without setImmediate: what one callback asks travels together', async () => {
  vi.stubGlobal('setImmediate', undefined);
  vi.resetModules();
  const { Turn } = await import('../../src/shared/turn.ts');
  vi.unstubAllGlobals();
  const gone: string[][] = [];
  let wanted: string[] = [];
  const turn = new Turn(() => {
    gone.push(wanted);
    wanted = [];
  });
  const want = (what: string) => {
    wanted.push(what);
    turn.soon();
  };
  want('a');
  want('b');
  await Promise.resolve();
  want('c');
  await Promise.resolve();
  expect(gone).toEqual([['a', 'b'], ['c']]);
});
