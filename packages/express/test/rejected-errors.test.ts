import type { AddressInfo } from 'node:net';
import { setImmediate as iteration } from 'node:timers/promises';
import { concurrencyLimit, createLimiter, rejectedErrors } from '@headgate/express';
import { Call } from '@headgate/test-suite';
import express from 'express';
import { expect, it, onTestFinished, vi } from 'vitest';

/** The answer of a route, in an app that prints errors as in production. */
async function answerOf(accept: string, route: (app: express.Express) => void) {
  const app = express();
  app.set('env', 'production');
  route(app);
  app.use(rejectedErrors);
  const server = app.listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  const answer = await new Call(port, '/', { headers: { accept } }).answer();
  // Express prints an error only after it has sent the response.
  await iteration();
  await iteration();
  return answer;
}

it.each(['application/json', 'text/html', 'text/plain'])(
  'rejectedErrors answers a rejection within a handler as a limit does, and prints nothing: %s',
  async (accept) => {
    const printed = vi.spyOn(console, 'error').mockReturnValue(undefined);
    onTestFinished(() => void printed.mockRestore());
    const limiter = createLimiter({ name: 'renders', limit: 1, queueLimit: 0 });
    limiter.tryAcquire();
    const within = await answerOf(accept, (app) =>
      app.get('/', async (_req, res) => void res.send(await limiter.run(() => 'page'))),
    );
    const before = await answerOf(accept, (app) => app.use(concurrencyLimit({ limiter })));
    expect(within.status).toBe(503);
    expect(within.headers['retry-after']).toMatch(/^[1-9]\d*$/);
    expect(within.headers['content-type']).toBe(before.headers['content-type']);
    expect(within.headers['cache-control']).toBe('no-store');
    expect(within.body.length).toBeGreaterThan(20);
    expect(printed).not.toHaveBeenCalled();
  },
);

it('rejectedErrors passes other errors on', async () => {
  const printed = vi.spyOn(console, 'error').mockReturnValue(undefined);
  onTestFinished(() => void printed.mockRestore());
  const { status } = await answerOf('*/*', (app) =>
    app.get('/', () => {
      throw new Error('broken');
    }),
  );
  expect(status).toBe(500);
  expect(printed).toHaveBeenCalledTimes(1);
});
