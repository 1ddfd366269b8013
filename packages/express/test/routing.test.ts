import { concurrencyLimit } from '@headgate/express';
import express, { type Express } from 'express';
import request from 'supertest';
import { expect, it } from 'vitest';

const paths = ['/api/Reports/1', '/api/reports/1', '/api/reports/1/', '/API/reports/1'];

/** Which of the paths the limit of the route applied to. */
async function limited(app: Express, limit: ReturnType<typeof concurrencyLimit>) {
  const applied = [];
  for (const path of paths) {
    const before = limit.stats().admitted;
    await request(app).get(path);
    if (limit.stats().admitted > before) applied.push(path);
  }
  return applied;
}

function reports(options = {}) {
  const route = 'GET /api/reports/:id';
  return concurrencyLimit({ limits: [{ name: 'reports', limit: 1, route }], ...options });
}

it('takes the case and the trailing slash from the settings of the app', async () => {
  const limit = reports();
  const app = express().enable('case sensitive routing').enable('strict routing');
  app.use(limit, (_req, res) => res.send());
  expect(await limited(app, limit)).toEqual(['/api/reports/1']);
});

it('lets its own options win over the settings of the app', async () => {
  const limit = reports({ caseSensitive: true, strict: false });
  const app = express().enable('strict routing');
  app.use(limit, (_req, res) => res.send());
  expect(await limited(app, limit)).toEqual(['/api/reports/1', '/api/reports/1/']);
});

it('matches the full path in an app within an app', async () => {
  const limit = reports();
  const inner = express().get('/reports/:id', limit, (_req, res) => res.send());
  const app = express().use('/api', inner);
  expect(await limited(app, limit)).toEqual(paths);
});

it('follows a URL that earlier middleware has rewritten, as the routes do', async () => {
  const limit = reports();
  const app = express();
  app.use((req, _res, next) => {
    req.url = req.url.replace(/^\/api\/reports\/1$/, '/elsewhere');
    next();
  });
  app.use(limit, (_req, res) => res.send());
  expect(await limited(app, limit)).not.toContain('/api/reports/1');
});
