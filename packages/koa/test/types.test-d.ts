import type { GateStats, Permit, Rejection } from '@headgate/core';
import { type Admission, concurrencyLimit, timeLeft } from '@headgate/koa';
import Router from '@koa/router';
import Koa, { type Context, type Middleware, type Next, type ParameterizedContext } from 'koa';
import { expectTypeOf } from 'vitest';

const limit = concurrencyLimit({
  limit: 1,
  key: (ctx) => {
    expectTypeOf(ctx).toEqualTypeOf<Context>();
    return ctx.ip;
  },
  weight: (ctx) => Number(ctx.query.pages),
  skip: (ctx) => ctx.path === '/health',
  onReject: (rejection, ctx, next) => {
    expectTypeOf(rejection).toEqualTypeOf<Rejection>();
    expectTypeOf(ctx).toExtend<Context>();
    expectTypeOf(next).toEqualTypeOf<Next>();
    ctx.body = rejection.reason;
  },
});

expectTypeOf(limit.stats()).toExtend<GateStats>();
expectTypeOf(limit.close()).toEqualTypeOf<Promise<number>>();

new Koa().use(limit).use((ctx) => {
  const { admission } = ctx.state;
  expectTypeOf(admission.waited).toEqualTypeOf<number>();
  expectTypeOf(admission.permit).toEqualTypeOf<Permit | undefined>();
  expectTypeOf(admission.rejection).toEqualTypeOf<Rejection | undefined>();
});

new Router().post('/reports/:id', limit, (ctx) => {
  expectTypeOf(ctx.state.admission.waited).toEqualTypeOf<number>();
});

// Behind `app.use(limit)`, whose result has the type of the state, and not the app itself.
const app = new Koa();
app.use(limit);
app.use((ctx) => {
  expectTypeOf(ctx.state.admission).toEqualTypeOf<Admission | undefined>();
  expectTypeOf(ctx.state.user).toBeAny();
  ctx.state = { user: 'ann' };
});
export function handle(ctx: Context) {
  expectTypeOf(ctx.state.admission?.waited).toEqualTypeOf<number | undefined>();
}
new Koa<{ user: string }>().use(limit).use((ctx) => {
  expectTypeOf(ctx.state.admission.waited).toEqualTypeOf<number>();
  expectTypeOf(ctx.state.user).toEqualTypeOf<string>();
});
const chain: Middleware[] = [limit];
chain.forEach((each) => void app.use(each));
new Router().use(limit).get('/', (ctx) => {
  expectTypeOf(ctx.state.admission?.waited).toEqualTypeOf<number | undefined>();
});

concurrencyLimit({
  limit: 1,
  queueTimeout: (ctx) => {
    expectTypeOf(ctx).toEqualTypeOf<Context>();
    return ctx.path === '/export' ? 30_000 : undefined;
  },
});
concurrencyLimit({ queueTimeout: timeLeft({ max: 10_000 }) });

// @ts-expect-error: misspelt
concurrencyLimit({ limit: 1, queuLimit: 1 });
// @ts-expect-error: a key is text or a number
concurrencyLimit({ limit: 1, key: () => true });
concurrencyLimit({ limit: 1, key: () => 5 });

// The app's own types.
interface State {
  user: { id: number; isPaid: boolean };
}
type AppContext = ParameterizedContext<State, { tenant: string }>;
concurrencyLimit({
  limit: (ctx: AppContext) => (ctx.state.user.isPaid ? 10 : 2),
  key: (ctx: ParameterizedContext<State>) => ctx.state.user.id,
  weight: (ctx: AppContext) => ctx.tenant.length,
  skip: (ctx: AppContext) => ctx.state.user.isPaid,
  priority: (ctx: AppContext) => (ctx.state.user.isPaid ? 'high' : 'normal'),
  fairBy: (ctx: AppContext) => ctx.tenant,
  queueTimeout: (ctx: AppContext) => (ctx.state.user.isPaid ? 5000 : undefined),
  onReject: ({ reason }, ctx: AppContext) => {
    ctx.body = { reason, tenant: ctx.tenant };
  },
});
concurrencyLimit({ classify: (ctx: AppContext) => (ctx.status === 504 ? 'dropped' : 'ok') });
// @ts-expect-error: a context is no string
concurrencyLimit({ limit: 1, key: (ctx: string) => ctx });
// @ts-expect-error: nothing awaits a promise
concurrencyLimit({ limit: 1, key: async (ctx: AppContext) => ctx.tenant });
