import { memoryStore } from '@headgate/store-kit/memory-store';
import { expect, it } from 'vitest';
import { adaptive, createGate, createLimiter, type Observer } from '../src/index.ts';

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
  for (const name of ['resume', 'pause', 'pause', 'rejectAll', 'resume', 'resume'] as const) {
    limiter[name]();
  }
  limiter.setLimit(4);
  expect(operated).toEqual([
    'reports pause 2',
    'reports rejectAll 2',
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
  limiter?.setLimit(3);
  limiter?.setLimit('adaptive');
  expect(operated).toEqual(['app setLimit 3', 'app setLimit 7']);
});

const simple = ['pause', 'rejectAll', 'resume', 'shadow', 'enforce'] as const;
const shadow = { limits: [{ name: 'a', limit: 1 }], mode: 'shadow' } as const;

it.each([
  ['a fixed limit', () => createLimiter({ limit: 1 })],
  ['an adaptive limit', () => createLimiter({ limit: adaptive() })],
  ['a limit in shadow mode', () => Object.values(createGate(shadow).limiters)[0]],
  ['a distributed limit', () => createLimiter({ name: 'a', limit: 1, store: memoryStore() })],
])('%s supports all operations until it is closed', async (_name, create) => {
  const limiter = create();
  expect(limiter?.operations).toEqual(['setLimit', ...simple]);
  limiter?.setLimit(2);
  for (const operation of simple) limiter?.[operation]();
  expect([limiter?.limit, limiter?.state, limiter?.mode]).toEqual([2, 'open', 'enforce']);
  await limiter?.close();
  expect(limiter?.state).toBe('closed');
  for (const operation of simple) {
    expect(() => limiter?.[operation](), operation).toThrow('it is closed');
  }
  limiter?.setLimit(3);
  expect(limiter?.limit).toBe(2);
});
