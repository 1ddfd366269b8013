import { startWorkerd, type WorkerdServer } from '@headgate/test-servers';
import { Call } from '@headgate/test-suite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

describe('durableObjectStore() on Cloudflare Workers', () => {
  let server: WorkerdServer;

  beforeAll(async () => {
    server = await startWorkerd({
      app: {
        program: new URL('misconfigured.ts', import.meta.url),
        flags: ['enable_request_signal'],
        objects: ['LimitObject'],
        bindings: { SELF: 'app', LIMITS: { worker: 'app', object: 'LimitObject' } },
      },
    });
  });
  afterAll(() => server.stop());

  const errorOf = async (path: string): Promise<unknown> =>
    JSON.parse((await new Call(server.port(), path, {}).answer()).body);

  it('throws at startup for a service binding, which appears to have every method', async () => {
    expect(await errorOf('/service')).toEqual({
      code: 'ERR_HEADGATE_OPTION',
      option: 'namespace',
      message: 'namespace must be a binding of Durable Objects, got a value of type Fetcher',
    });
  });

  it('throws at startup for a limiter, whose permits no request would renew', async () => {
    expect(await errorOf('/limiter')).toMatchObject({
      code: 'ERR_HEADGATE_RUNTIME',
      option: 'store',
      message: expect.stringContaining('concurrencyLimit() of @headgate/hono'),
    });
  });

  it('accepts a middleware with a binding of Durable Objects', async () => {
    expect(await errorOf('/middleware')).toEqual({});
  });
});
