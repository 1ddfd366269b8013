import { describe, expect, test } from 'vitest';
import { adaptive, createGate, createLimiter, fifo, lifo } from '../../src/index.ts';
import { Memory, memoryStore } from '../../src/memory-store/index.ts';

const store = memoryStore({ memory: new Memory() });

describe('an option that a store does not support is an error', () => {
  test.each([
    ['limit', { limit: adaptive() as never }],
    ['order', { order: lifo() }],
    ['order', { order: fifo() }],
    ['queueWeight', { queueWeight: 5 }],
    ['queueTimeout', { queueTimeout: 0 }],
    ['reserve', { reserve: 1, limit: 1 }],
    ['reserve', { reserve: -1 }],
    ['reserve', { reserve: Infinity }],
    ['handoff', { handoff: 1.5 }],
    ['handoff', { handoff: 101 }],
    ['onStoreError', { onStoreError: 'ignore' as never }],
    ['name', { name: undefined }],
    ['name', { name: '' }],
    ['store', { store: {} as never }],
    ['store', { store: 'redis://localhost' as never }],
  ])('%s', (option, options) => {
    const make = () => createLimiter({ name: 'a', limit: 2, store, ...options } as never);
    expect(make).toThrow(expect.objectContaining({ code: 'ERR_HEADGATE_OPTION', option }));
  });

  test.each(['onStoreError', 'handoff', 'reserve'])('%s is an error without a store', (option) => {
    const make = () => createLimiter({ limit: 2, [option]: 1 } as never);
    expect(make).toThrow(expect.objectContaining({ code: 'ERR_HEADGATE_OPTION', option }));
  });

  test.each([
    ['mode', { mode: 'shadow' }],
    ['queueTimeout', { queueTimeout: 0 }],
    ['order', { order: lifo() }],
  ])('%s of a gate', (option, options) => {
    const make = () =>
      createGate({ limits: [{ name: 'a', limit: 2, store }], ...options } as never);
    expect(make).toThrow(expect.objectContaining({ code: 'ERR_HEADGATE_OPTION', option }));
  });

  test('the order of a gate applies to its local limits', () => {
    const gate = createGate({
      limits: [
        { name: 'a', limit: 2, perKey: true },
        { name: 'b', limit: 2, store },
      ],
      order: lifo(),
    });
    expect(gate.limits.map(({ limiter }) => limiter.isDistributed)).toEqual([false, true]);
  });
});
