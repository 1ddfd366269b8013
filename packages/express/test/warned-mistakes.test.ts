import { createServer } from 'node:http';
import { concurrencyLimit, createLimiter, ipKey } from '@headgate/express';
import { collectWarnings } from '@headgate/test-suite/kit';
import express5 from 'express';
import express4 from 'express4';
import request from 'supertest';
import { describe, expect, it } from 'vitest';

describe.each([
  ['Express 5', express5],
  ['Express 4', express4 as unknown as typeof express5],
])('mistakes that are only possible in %s', (_, express) => {
  const answer = (_req: unknown, res: { end(text: string): unknown }) => void res.end('ok');

  it('warns once about limits that are created within requests', async () => {
    const warnings = collectWarnings('HEADGATE_LIMIT_PER_REQUEST');
    const app = express();
    app.use((req, res, next) => concurrencyLimit({ limit: 1 })(req, res, next));
    app.get('/', answer);
    const server = createServer(app);
    for (let count = 0; count < 7; count++) await request(server).get('/').expect(200);
    expect(warnings).toHaveLength(1);
  });

  it('warns once about limiters that are created within requests for one caller each', async () => {
    const warnings = collectWarnings('HEADGATE_LIMIT_PER_REQUEST');
    const server = createServer(
      express().get('/', (_req, res) => {
        createLimiter({ limit: 1 }).run(() => res.end('ok'));
      }),
    );
    for (let count = 0; count < 7; count++) await request(server).get('/').expect(200);
    expect(warnings).toHaveLength(1);
  });

  it('does not warn about a limiter that bounds the parallel work of its request', async () => {
    const warnings = collectWarnings('HEADGATE_LIMIT_PER_REQUEST');
    const server = createServer(
      express().get('/', async (_req, res) => {
        const limiter = createLimiter({ limit: 2 });
        await Promise.all([1, 2, 3].map(() => limiter.run(async () => {})));
        res.end('ok');
      }),
    );
    for (let count = 0; count < 7; count++) await request(server).get('/').expect(200);
    expect(warnings).toEqual([]);
  });

  it.each([
    [1, 0],
    ['loopback', 0],
    [true, 1],
    [() => true, 1],
  ])(
    'with trust proxy %s, warns %i times about a key that clients can choose',
    async (trust, count) => {
      const warnings = collectWarnings('HEADGATE_PERMISSIVE_PROXY');
      const limit = concurrencyLimit({ name: 'clients', limit: 1, key: (req) => ipKey(req.ip) });
      const app = express().set('trust proxy', trust).use(limit, answer);
      for (let call = 0; call < 2; call++)
        await request(createServer(app)).get('/').set('X-Forwarded-For', '203.0.113.7').expect(200);
      expect(warnings).toEqual(Array(count).fill(expect.stringMatching(/key of limit "clients"/)));
    },
  );

  it('warns about a limit behind all routes at the first request that reaches it', async () => {
    const warnings = collectWarnings('HEADGATE_BEHIND_ROUTES');
    const app = express()
      .get('/', answer)
      .use(concurrencyLimit({ limit: 1 }));
    const server = createServer(app);
    for (const [path, expected] of [
      ['/', 0],
      ['/none', 1],
      ['/none', 1],
    ] as const) {
      await request(server).get(path);
      expect(warnings).toHaveLength(expected);
    }
  });

  it.each([
    [
      'a route follows',
      (limit: never) => express().get('/', answer).use(limit).get('/later', answer),
    ],
    [
      'another middleware follows',
      (limit: never) => express().get('/', answer).use(limit).use(answer),
    ],
    ['no route precedes it', (limit: never) => express().use(limit)],
    [
      'it belongs to a router',
      (limit: never) => express().get('/', answer).use('/api', express.Router().use(limit)),
    ],
  ])('does not warn of a limit behind a route if %s', async (_, build) => {
    const warnings = collectWarnings('HEADGATE_BEHIND_ROUTES');
    await request(createServer(build(concurrencyLimit({ limit: 1 }) as never))).get('/api/none');
    expect(warnings).toEqual([]);
  });

  it('does not warn about a limit that is called for an app without middleware', async () => {
    const limit = concurrencyLimit({ limit: 1 });
    const server = createServer((req, res) => {
      Object.assign(req, { app: express() });
      limit(req, Object.assign(res, { locals: {} }) as never, () => res.end('ok'));
    });
    await request(server).get('/').expect(200, 'ok');
  });
});
