// A gateway in front of a model provider, as an app of Express.
import { pipeline } from 'node:stream/promises';
import { concurrencyLimit, type Rejection } from '@headgate/express';
import express, {
  type NextFunction,
  type Request,
  type RequestHandler,
  type Response,
} from 'express';
import { register } from 'prom-client';
import { type Call, callOf, paths } from './call.ts';
import { closeLimits, fallback, maxHold, tokens, upstream } from './limits.ts';
import { ask, failure } from './relay.ts';

declare global {
  namespace Express {
    interface Request {
      call: Call;
    }
  }
}

const app = express();
const port = Number(process.env.PORT ?? 3000);

const limit = concurrencyLimit({
  limits: [{ limiter: tokens, weight: (req) => req.call.estimate }, { limiter: upstream }],
  queueTimeout: 10_000,
  maxHold,
  fairBy: (req) => req.call.tenant.id,
  priority: (req) => req.call.priority,
  onReject: (rejection, req, res, next) =>
    req.call.degrade() ? next() : refuse(rejection, req, res),
});

/** Admits rejected requests to the fallback model. */
const degraded = concurrencyLimit({
  limiter: fallback,
  maxHold,
  weight: (req) => req.call.estimate,
  skip: (req) => req.call.limit === 'tokens',
  onReject: refuse,
});

function refuse(rejection: Rejection, { call }: Request, res: Response): void {
  const { status, headers, body } = call.refusal(rejection);
  res.status(status).set(headers).send(body);
}

app.get('/stats', (_req, res) => {
  res.json({ limit: limit.stats(), degraded: degraded.stats() });
});

app.get('/metrics', async (_req, res) => {
  res.type(register.contentType).send(await register.metrics());
});

const authenticate: RequestHandler = (req, res, next) => {
  const call = callOf(req.path, req.body ?? {}, (name) => req.get(name));
  if (call === undefined)
    return void res.status(401).json({ error: { message: 'Unknown API key' } });
  req.call = call;
  next();
};

app.post(
  paths,
  // The weight depends on the body, so it is parsed before the limit: bound its size.
  express.json({ limit: '1mb' }),
  authenticate,
  limit,
  // Holds the permit until the handler has settled and the response has ended.
  degraded.wrap(async (req, res) => {
    const { permit } = res.locals.admission;
    if (permit === undefined) throw new Error('no limit applies');
    const { status, headers, body } = await ask(req.call, permit);
    res.status(status).set(headers);
    await pipeline(body, res);
  }),
);

app.use((error: unknown, _req: Request, res: Response, _next: NextFunction) => {
  if (res.headersSent) return void res.destroy(); // so that the client notices that the answer is incomplete
  const { status, body } = failure(error);
  res.status(status).json(body);
});

const server = app.listen(port, () => console.log(`http://localhost:${port}`));

process.once('SIGTERM', async () => {
  server.close();
  await limit.close({ timeout: 10_000 });
  await closeLimits();
});
