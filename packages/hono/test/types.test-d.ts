import type { GateStats, Permit, Rejection } from '@headgate/core';
import { concurrencyLimit, timeLeft } from '@headgate/hono';
import { type Context, Hono, type Next } from 'hono';
import { expectTypeOf } from 'vitest';

const limit = concurrencyLimit({
  limit: 1,
  key: (c) => {
    expectTypeOf(c).toExtend<Context>();
    return c.req.header('x-user');
  },
  weight: (c) => Number(c.req.query('pages')),
  skip: (c) => c.req.path === '/health',
  onReject: (rejection, c, next) => {
    expectTypeOf(rejection).toEqualTypeOf<Rejection>();
    expectTypeOf(next).toEqualTypeOf<Next>();
    return c.json({ reason: rejection.reason }, 503);
  },
});

expectTypeOf(limit.stats()).toExtend<GateStats>();
expectTypeOf(limit.close()).toEqualTypeOf<Promise<number>>();

new Hono().use(limit);
new Hono().get('/reports/:id', limit, (c) => {
  const { admission } = c.var;
  expectTypeOf(admission.waited).toEqualTypeOf<number>();
  expectTypeOf(admission.permit).toEqualTypeOf<Permit | undefined>();
  expectTypeOf(admission.rejection).toEqualTypeOf<Rejection | undefined>();
  expectTypeOf(c.req.param('id')).toEqualTypeOf<string>();
  return c.text('ok');
});

/** An app with its own environment type. */
type Env = { Variables: { user: { id: string } } };
const perUser = concurrencyLimit<Env>({
  limit: 1,
  key: (c) => {
    expectTypeOf(c.var.user).toEqualTypeOf<{ id: string }>();
    return c.var.user.id;
  },
  queueTimeout: (c) => (c.var.user.id === 'batch' ? 30_000 : undefined),
});
concurrencyLimit({ queueTimeout: timeLeft({ max: 10_000 }) });
concurrencyLimit<Env>({ limit: 1, queueTimeout: timeLeft({ max: 10_000 }) });
new Hono<Env>().get('/', perUser, (c) => {
  expectTypeOf(c.var.user.id).toEqualTypeOf<string>();
  expectTypeOf(c.var.admission.waited).toEqualTypeOf<number>();
  return c.text('ok');
});

// @ts-expect-error: misspelt
concurrencyLimit({ limit: 1, queuLimit: 1 });
// @ts-expect-error: a key is text or a number
concurrencyLimit({ limit: 1, key: () => true });
concurrencyLimit({ limit: 1, key: () => 5 });
// @ts-expect-error: a context is no string
concurrencyLimit({ limit: 1, key: (c: string) => c });
