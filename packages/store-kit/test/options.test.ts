import { adaptive, createGate, createLimiter, fifo, lifo } from '@headgate/core';
import { describe, expect, test } from 'vitest';
import { Memory, memoryStore } from '../src/memory-store/index.ts';

const store = memoryStore({ memory: new Memory() });

describe('an option that a store does not support is an error', () => {
  test.each([
    ['limit', { limit: adaptive() as never }],
    ['order', { order: lifo() }],
    ['order', { order: fifo() }],
    ['queueWeight', { queueWeight: 5 }],
    ['queueTimeout', { queueTimeout: 0 }],
    ['onStoreError', { onStoreError: 'ignore' as never }],
    ['name', { name: undefined }],
    ['name', { name: '' }],
    ['store', { store: {} as never }],
    ['store', { store: 'redis://localhost' as never }],
  ])('%s', (option, options) => {
    const make = () => createLimiter({ name: 'a', limit: 2, store, ...options } as never);
    expect(make).toThrow(expect.objectContaining({ code: 'ERR_HEADGATE_OPTION', option }));
  });

  test('onStoreError is an error without a store', () => {
    const make = () => createLimiter({ limit: 2, onStoreError: 'local' } as never);
    const error = { code: 'ERR_HEADGATE_OPTION', option: 'onStoreError' };
    expect(make).toThrow(expect.objectContaining(error));
  });

  test.each(['handoff', 'reserve'])('%s is no option of a limit', (option) => {
    const make = () => createLimiter({ name: 'a', limit: 2, store, [option]: 1 } as never);
    const error = { code: 'ERR_HEADGATE_UNKNOWN_OPTION', option };
    expect(make).toThrow(expect.objectContaining(error));
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
    expect(Object.values(gate.limiters).map((limiter) => limiter.isDistributed)).toEqual([
      false,
      true,
    ]);
  });
});
