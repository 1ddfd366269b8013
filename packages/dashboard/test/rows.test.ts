import { createGate, createLimiter } from '@headgate/core';
import { concurrencyLimit } from '@headgate/express';
import { expect, it, onTestFinished } from 'vitest';
import { inExpress, startApp } from './apps.ts';

it('the dashboard shows a gate of several limits above its limits, and a gate of one limit as that limit', async () => {
  const shared = createLimiter({ name: 'shared', limit: 9 });
  const several = createGate({
    name: 'api',
    limits: [{ name: 'user', limit: 2, perKey: true }, { limiter: shared }],
  });
  const one = concurrencyLimit({ name: 'one', limit: 4 });
  const { url } = await startApp(inExpress, { limits: [several, one, shared] });
  const permit = await several.acquire({ keys: { user: 'a secret key' } });
  onTestFinished(() => permit.release());
  const text = await (await fetch(`${url}/admin/limits/state`)).text();
  expect(text).not.toContain('secret');
  expect(JSON.parse(text).limits).toMatchObject([
    { name: 'api', inflight: 1 },
    { name: 'user', gate: 'api', limit: 2, inflight: 1, keys: 1 },
    // A reused limiter has one row.
    { name: 'shared', limit: 9, inflight: 1 },
    { name: 'one', limit: 4, inflight: 0 },
  ]);
});

it('the dashboard shows no common limit if each request sets the limit of its key, and offers no change of it', async () => {
  const limit = concurrencyLimit({
    limits: [
      {
        name: 'customer',
        limit: (req) => (req.get('x-plan') === 'paid' ? 9 : 2),
        key: () => 'ann',
      },
      { name: 'app', limit: 20 },
    ],
  });
  const { url } = await startApp(inExpress, { limits: [limit] });
  const { limits } = await (await fetch(`${url}/admin/limits/state`)).json();
  expect(limits).toMatchObject([
    { name: 'customer+app' },
    {
      name: 'customer',
      keys: 0,
      operations: ['pause', 'rejectAll', 'resume', 'shadow', 'enforce'],
    },
    { name: 'app', limit: 20 },
  ]);
  expect(limits[1].limit).toBeUndefined();
  expect(() => limit.limiters.customer?.setLimit(5)).toThrow(
    expect.objectContaining({ code: 'ERR_HEADGATE_UNSUPPORTED' }),
  );
});

it('the dashboard omits a limit and a baseline that are not finite, which JSON cannot contain', async () => {
  const own = { limit: Infinity, baseline: Infinity, sample: () => {} };
  const limiter = createLimiter({ name: 'own', limit: { create: () => own } });
  const { url } = await startApp(inExpress, { limits: [limiter] });
  const { limits } = await (await fetch(`${url}/admin/limits/state`)).json();
  expect(Object.entries(limits[0]).filter(([, value]) => value === null)).toEqual([]);
  expect(limits).toMatchObject([{ name: 'own', inflight: 0 }]);
});
