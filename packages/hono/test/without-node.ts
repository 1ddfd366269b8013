import { concurrencyLimit } from '@headgate/hono';
import { counts } from '@headgate/test-suite';
import { type Context, Hono } from 'hono';
import { afterEach } from 'vitest';

type Handler = (c: Context) => Response | Promise<Response>;
type Options = Partial<Parameters<typeof concurrencyLimit>[0]>;

/** Apps that get only Request and Response; after each test it checks that no permit is held. */
export function appsWithoutNode() {
  const limits: ReturnType<typeof concurrencyLimit>[] = [];

  afterEach(async () => {
    for (const limit of limits.splice(0)) await counts(limit, 0, 0);
  });

  return (handler: Handler, options: Options = {}) => {
    const limit = concurrencyLimit({ limit: 1, ...options } as { limit: number });
    limits.push(limit);
    const app = new Hono().use(limit).all('*', handler);
    app.onError((error, c) => c.text(error.message, 500));
    return { app, limit };
  };
}
