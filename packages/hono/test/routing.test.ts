import { concurrencyLimit } from '@headgate/hono';
import { Hono } from 'hono';
import { describe, expect, it } from 'vitest';

const paths = ['/api/a/1', '/api/a/1/', '/API/a/1', '/api/a//1', '/api/%61/1', '/api/a/%2F'];

describe.each([true, false])('routes of an app with strict: %s', (strict) => {
  it.each(paths)('match exactly the paths that Hono routes: %s', async (path) => {
    let handled = 0;
    const limits = [{ name: 'a', limit: 1, route: '/api/a/:id' }];
    const limit = concurrencyLimit({ limits });
    const app = new Hono({ strict }).use(limit).basePath('/api');
    app.get('/a/:id', (c) => {
      handled++;
      return c.body(null);
    });
    await app.request(path);
    expect(limit.stats().admitted).toBe(handled);
  });
});
