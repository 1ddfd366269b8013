import type { GatedRequest } from '@headgate/core/http';
import type { Context } from 'hono';
import { expect, it, vi } from 'vitest';
import { forwardWaitUntil } from '../src/workers.ts';

it('starts the work of a thenable once, for the permit and for the runtime', async () => {
  const held: unknown[] = [];
  const kept: Promise<unknown>[] = [];
  const permit = {
    waitUntil: (work: PromiseLike<unknown>) => void held.push(Promise.resolve(work)),
  };
  const c = { executionCtx: { waitUntil: (work: Promise<unknown>) => void kept.push(work) } };
  forwardWaitUntil(c as never as Context, { permit } as never as GatedRequest);
  // biome-ignore lint/suspicious/noThenProperty: like a query builder's
  const query = { then: vi.fn((done: (value: number) => void) => done(1)) };
  permit.waitUntil(query as never);
  await Promise.all([...held, ...kept]);
  expect([held.length, kept.length]).toEqual([1, 1]);
  expect(query.then).toHaveBeenCalledTimes(1);
});
