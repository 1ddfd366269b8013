import { expect, it, vi } from 'vitest';
import { createGate, createLimiter } from '../src/index.ts';

it('a gate and a limiter of two copies of the package queue in the same order of arrival', async () => {
  const limiter = createLimiter({ limit: 1, queueLimit: 9 });
  const held = await limiter.acquire();
  const waiting = limiter.acquire();
  held.release();
  vi.resetModules();
  const other: { createGate: typeof createGate } = await import('../src/index.ts');
  expect(other.createGate).not.toBe(createGate);
  const gate = other.createGate({
    limits: [{ limiter }, { name: 'own', limit: 9 }],
    queueLimit: 9,
  });
  const order: string[] = [];
  const passed = async (caller: string, at: typeof limiter | typeof gate) => {
    const permit = await at.acquire();
    order.push(caller);
    permit.release();
  };
  const callers = [
    passed('first', limiter),
    passed('second', gate),
    passed('third', limiter),
    passed('fourth', gate),
  ];
  (await waiting).release();
  await Promise.all(callers);
  expect(order).toEqual(['first', 'second', 'third', 'fourth']);
});
