import { createLimiter, type GateStats, type Permit, type Rejection } from '@headgate/core';
import { type Admission, concurrencyLimit, type TimeLeft, timeLeft } from '@headgate/express';
import express, { type Request, type RequestHandler, type Response } from 'express';
import express4 from 'express4';
import { expectTypeOf } from 'vitest';

const limit = concurrencyLimit({
  limit: 1,
  key: (req) => {
    expectTypeOf(req).toEqualTypeOf<Request>();
    return req.ip;
  },
  weight: (req) => Number(req.query.pages),
  skip: (req) => req.path === '/health',
  onReject: (rejection, req, res, next) => {
    expectTypeOf(rejection).toEqualTypeOf<Rejection>();
    expectTypeOf(req).toEqualTypeOf<Request>();
    expectTypeOf(res.locals.admission.rejection).toEqualTypeOf<Rejection | undefined>();
    next();
  },
});

concurrencyLimit({
  limits: [
    { name: 'user', limit: (req) => (req.get('x-plan') === 'paid' ? 10 : 2), key: (req) => req.ip },
    { name: 'reports', limit: 4, route: 'POST /reports/:id' },
    { limiter: createLimiter({ name: 'app', limit: 100 }) },
  ],
});

const by = (req: Request) => req.get('x-plan');
concurrencyLimit({ limit: 9, shares: { parts: { paid: 0.6 }, by: (req) => req.get('x-plan') } });
concurrencyLimit({ limiter: createLimiter({ limit: 9 }), shares: { by } });
// @ts-expect-error: parts need a function that names the share of a request
concurrencyLimit({ limit: 9, shares: { parts: { paid: 0.6 } } });
// @ts-expect-error: a limit that the middleware makes needs the parts
concurrencyLimit({ limit: 9, shares: { by } });
// @ts-expect-error: a limiter has the parts itself
concurrencyLimit({ limiter: createLimiter({ limit: 9 }), shares: { parts: { paid: 0.6 }, by } });

const left = timeLeft({ max: 10_000 });
expectTypeOf(left).toEqualTypeOf<TimeLeft>();
concurrencyLimit({ limit: 1, queueTimeout: left });
concurrencyLimit({ queueTimeout: left });
concurrencyLimit({
  limits: [{ name: 'app', limit: 1 }],
  queueTimeout: (req) => {
    expectTypeOf(req).toEqualTypeOf<Request>();
    return req.path === '/export' ? 30_000 : left(req);
  },
});
// @ts-expect-error: milliseconds
concurrencyLimit({ limit: 1, queueTimeout: () => '5s' });
// @ts-expect-error: an option of the middleware
concurrencyLimit({ limits: [{ name: 'app', limit: 1, queueTimeout: left }] });
// @ts-expect-error: max is required
timeLeft({});

// The limit of the environment, or else the default limit.
const { LIMIT } = process.env;
concurrencyLimit({ limit: LIMIT ? Number(LIMIT) : undefined, queueLimit: 5 });
concurrencyLimit({ ...(LIMIT ? { limit: Number(LIMIT) } : {}), priority: () => 'high' });
concurrencyLimit({
  skip: (req) => req.get('user-agent')?.startsWith('kube-probe'),
  fairBy: (req) => req.get('x-tenant'),
});
// @ts-expect-error: a string
concurrencyLimit({ limit: LIMIT });
// @ts-expect-error: a limit that depends on the request needs a key
concurrencyLimit({ limit: () => 4 });
// @ts-expect-error: the same for one of several limits
concurrencyLimit({ limits: [{ name: 'user', limit: () => 4 }] });
// @ts-expect-error: each of several limits needs a name
concurrencyLimit({ limits: [{ limit: 4 }] });

expectTypeOf(limit.stats()).toExtend<GateStats>();
expectTypeOf(limit.close({ timeout: 1000 })).toEqualTypeOf<Promise<number>>();
expectTypeOf(limit.holders).toEqualTypeOf<number>();

const chain: RequestHandler[] = [limit];

const app = express();
app.use(chain);
app.use(limit);
app.use('/api', limit, express.json());
app.get('/reports/:id', limit, (req, res) => {
  expectTypeOf(req.params.id).toEqualTypeOf<string>();
  const { admission } = res.locals;
  expectTypeOf(admission.waited).toEqualTypeOf<number>();
  expectTypeOf(admission.permit).toEqualTypeOf<Permit | undefined>();
  expectTypeOf(admission.timeLeft).toEqualTypeOf<number | undefined>();
  // A permit, or the rejection, or neither if no limit applies.
  if (admission.permit) expectTypeOf(admission.rejection).toEqualTypeOf<undefined>();
  if (admission.rejection) expectTypeOf(admission.permit).toEqualTypeOf<undefined>();
});
app.post(
  '/reports/:id',
  limit.wrap<{ id: string }>(async (req, res) => {
    expectTypeOf(req.params.id).toEqualTypeOf<string>();
    expectTypeOf(res.locals.admission.waited).toEqualTypeOf<number>();
  }),
);

// Behind `app.use(limit)`, which the types of a handler do not know of.
app.get('/', (_req, res) => {
  expectTypeOf(res.locals.admission).toEqualTypeOf<Admission | undefined>();
  expectTypeOf(res.locals.user).toBeAny();
});
express4().get('/', (_req, res) => {
  expectTypeOf(res.locals.admission).toEqualTypeOf<Admission | undefined>();
});
export function handle(_req: Request, res: Response) {
  expectTypeOf(res.locals.admission?.waited).toEqualTypeOf<number | undefined>();
}
export function handleTyped(_req: Request, res: Response<string, { user: string }>) {
  expectTypeOf(res.locals.admission?.waited).toEqualTypeOf<number | undefined>();
  expectTypeOf(res.locals.user).toEqualTypeOf<string>();
}
// The same interface, where there is no admission.
app.locals = { title: 'Reports' };

// @ts-expect-error: misspelt
concurrencyLimit({ limit: 1, queuLimit: 1 });
// @ts-expect-error: one or the other
concurrencyLimit({ limit: 1, limits: [{ name: 'app', limit: 1 }] });
// @ts-expect-error: one of several limits needs a name
concurrencyLimit({ limits: [{ limit: 1 }] });
concurrencyLimit({ limits: [{ limiter: createLimiter({ limit: 1 }) }] });
// @ts-expect-error: a limiter has its limit
concurrencyLimit({ limit: 1, limiter: createLimiter({ limit: 1 }) });
// @ts-expect-error: a key is text or a number
concurrencyLimit({ limit: 1, key: () => true });
concurrencyLimit({ limit: 1, key: () => 5 });
// The default limit.
concurrencyLimit();
concurrencyLimit({ priority: () => 'low' });
concurrencyLimit({ name: 'web' });
concurrencyLimit({
  route: 'POST /reports',
  weight: (req) => Number(req.query.pages),
  statusCode: 429,
});
// @ts-expect-error: keys need a limit
concurrencyLimit({ key: (req) => req.ip });

// The app's own types.
interface AuthRequest extends Request {
  user: { id: number; plan: 'paid' | 'free'; pages: number };
}
concurrencyLimit({
  limit: (req: AuthRequest) => (req.user.plan === 'paid' ? 10 : 2),
  key: (req: AuthRequest) => req.user.id,
  weight: (req: AuthRequest) => req.user.pages,
  skip: (req: AuthRequest) => req.user.plan === 'paid',
  priority: (req: AuthRequest) => (req.user.plan === 'paid' ? 'high' : 'normal'),
  fairBy: (req: AuthRequest) => req.user.id,
  queueTimeout: (req: AuthRequest) => (req.user.plan === 'paid' ? 5000 : undefined),
  onReject: ({ reason }, req: AuthRequest, res: Response<{ reason: string; user: number }>) =>
    res.json({ reason, user: req.user.id }),
});
concurrencyLimit({
  limits: [
    { name: 'user', limit: 2, key: (req: AuthRequest) => req.user.id },
    { name: 'report', limit: 1, key: (req: Request<{ id: string }>) => req.params.id },
    { name: 'page', limit: 1, key: (req) => req.path },
  ],
  skip: (req: Request<{ id: string }, string, { draft: boolean }, { page: string }>) =>
    req.body.draft || req.query.page === '0',
});
concurrencyLimit({ classify: (res: Response) => (res.statusCode === 504 ? 'dropped' : 'ok') });
concurrencyLimit({
  limit: 9,
  shares: { parts: { paid: 0.6 }, by: (req: AuthRequest) => req.user.plan },
});
// @ts-expect-error: a request is no string
concurrencyLimit({ limit: 1, key: (req: string) => req });
// @ts-expect-error: a request is no string
concurrencyLimit({ limit: 1, skip: (req: string) => req === '/health' });
// @ts-expect-error: a response is no request
concurrencyLimit({ limit: 1, key: (req: Response) => req.get('x-user') });
// @ts-expect-error: nothing awaits a promise
concurrencyLimit({ limit: 1, key: async (req: AuthRequest) => req.user.id });
// @ts-expect-error: the same
concurrencyLimit({ limit: async () => 4, key: (req) => req.ip });
// @ts-expect-error: the same
concurrencyLimit({ limit: 1, skip: async () => true });
