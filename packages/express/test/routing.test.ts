import { concurrencyLimit } from '@headgate/express';
import express, { type Express } from 'express';
import request from 'supertest';
import { expect, it } from 'vitest';

const paths = ['/api/Reports/1', '/api/reports/1', '/api/reports/1/', '/API/reports/1'];

/** The paths to which the route's limit applied. */
async function limited(app: Express, limit: ReturnType<typeof concurrencyLimit>) {
  const applied = [];
  for (const path of paths) {
    const before = limit.stats().admitted;
    await request(app).get(path);
    if (limit.stats().admitted > before) applied.push(path);
  }
  return applied;
}

function reports() {
  const route = 'GET /api/reports/:id';
  return concurrencyLimit({ limits: [{ name: 'reports', limit: 1, route }] });
}

it("a route follows the app's settings for case and trailing slash", async () => {
  const limit = reports();
  const app = express().enable('case sensitive routing').enable('strict routing');
  app.use(limit, (_req, res) => res.send());
  expect(await limited(app, limit)).toEqual(['/api/reports/1']);
});

it('a route matches the full path in a nested app', async () => {
  const limit = reports();
  const inner = express().get('/reports/:id', limit, (_req, res) => res.send());
  const app = express().use('/api', inner);
  expect(await limited(app, limit)).toEqual(paths);
});

it('a route matches the URL as rewritten by earlier middleware', async () => {
  const limit = reports();
  const app = express();
  app.use((req, _res, next) => {
    req.url = req.url.replace(/^\/api\/reports\/1$/, '/elsewhere');
    next();
  });
  app.use(limit, (_req, res) => res.send());
  expect(await limited(app, limit)).not.toContain('/api/reports/1');
});
