import { createGate } from '@headgate/core';
import { expect, test } from 'vitest';
import type { Answer, Op } from '../src/index.ts';
import { settled, TestStore, World } from './world.ts';

/** A store that answers changes of a limit only once it may. */
class SlowStore extends TestStore {
  answer = () => {};
  readonly #mayAnswer = new Promise<void>((resolve) => {
    this.answer = resolve;
  });

  override async send(ops: readonly Op[]): Promise<Answer[]> {
    if (ops.some(({ verb }) => verb === 'declare')) await this.#mayAnswer;
    return super.send(ops);
  }
}

test('close() of a gate resolves once the store has answered rejectAll(), even while requests are running', async () => {
  const world = new World();
  const store = world.connect({}, SlowStore);
  const { clock } = world;
  const limits = [
    { name: 'user', limit: 1, store },
    { name: 'app', limit: 2 },
  ];
  const gate = createGate({ limits, clock, queueLimit: 1, queueTimeout: 1_000 });
  const permit = await gate.acquire();
  Object.values(gate.limiters)[0]?.rejectAll();
  let left: number | undefined;
  const closing = gate.close({ signal: AbortSignal.abort() }).then((count) => {
    left = count;
  });
  await settled();
  expect(left).toBeUndefined();
  store.answer();
  await closing;
  expect(left).toBe(1);
  permit.release();
  await world.advance(10);
  expect(await world.stats('user')).toMatchObject({ inflight: 0 });
});
