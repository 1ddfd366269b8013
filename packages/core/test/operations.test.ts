import { memoryStore } from '@headgate/store-kit/memory-store';
import { expect, it } from 'vitest';
import {
  adaptive,
  createGate,
  createLimiter,
  type Observer,
  type Operation,
} from '../src/index.ts';

/** An observer that records operations. */
function recording() {
  const operated: string[] = [];
  const observer: Observer = {
    operated: ({ name, operation, limit }) => void operated.push(`${name} ${operation} ${limit}`),
  };
  return { operated, observer };
}

it('an observer receives each operation that changes something', () => {
  const { operated, observer } = recording();
  const limiter = createLimiter({ name: 'reports', limit: 2 });
  limiter.observe(observer);
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

it('an observer receives the operations on an adaptive limit, and on the limits that a gate has made', () => {
  const { operated, observer } = recording();
  const gate = createGate({
    limits: [
      { name: 'user', limit: 1, perKey: true },
      { name: 'app', limit: adaptive({ initial: 7 }) },
    ],
  });
  gate.observe(observer);
  const limiter = Object.values(gate.limiters)[1];
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
  [
    'a limit in shadow mode',
    () => Object.values(createGate(shadow).limiters)[0],
    ['setLimit', ...local],
  ],
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
