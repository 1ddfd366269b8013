import { collectWarnings } from '@headgate/test-suite/kit';
import { expect, it, vi } from 'vitest';
import { createGate, createLimiter } from '../src/index.ts';

it('a gate admits requests at the limiter of another copy of the package, and warns once', async () => {
  const warnings = collectWarnings('HEADGATE_TWO_COPIES');
  const limiter = createLimiter({ name: 'app', limit: 1 });
  createGate({ limits: [{ limiter }] });
  expect(warnings).toEqual([]);
  vi.resetModules();
  const other: { createGate: typeof createGate } = await import('../src/index.ts');
  expect(other.createGate).not.toBe(createGate);
  const [gate] = [1, 2].map(() => other.createGate({ limits: [{ limiter }] }));
  expect(warnings).toEqual([expect.stringContaining('limiter "app" belongs to another copy')]);
  const held = await gate?.acquire();
  expect(limiter.inflight).toBe(1);
  held?.release();
});
