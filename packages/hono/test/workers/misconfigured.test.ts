import { startWorkerd, type WorkerdServer } from '@headgate/test-servers';
import { Call } from '@headgate/test-suite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

describe('concurrencyLimit() on Cloudflare Workers', () => {
  const program = new URL('misconfigured.ts', import.meta.url);
  let server: WorkerdServer;

  beforeAll(async () => {
    const app = { program, flags: ['enable_request_signal'] };
    server = await startWorkerd({ app, withoutFlag: { program } });
  });
  afterAll(() => server.stop());

  async function errorOf(worker: string, options: object): Promise<unknown> {
    const path = `/?options=${encodeURIComponent(JSON.stringify(options))}`;
    return JSON.parse((await new Call(server.port(worker), path, {}).answer()).body);
  }

  it.each([
    ['without maxHold', { limit: 1 }, 'maxHold'],
    ['with a limiter', { limits: [{ limiter: {} }], maxHold: 1000 }, 'limiter'],
    ['with a store', { limit: 1, store: {}, maxHold: 1000 }, 'store'],
  ])('throws %s', async (_, options, option) => {
    expect(await errorOf('app', options)).toMatchObject({ code: 'ERR_HEADGATE_RUNTIME', option });
  });

  it('throws without the compatibility flag, and names it', async () => {
    expect(await errorOf('withoutFlag', { limit: 1, maxHold: 1000 })).toMatchObject({
      code: 'ERR_HEADGATE_RUNTIME',
      message: expect.stringContaining('"enable_request_signal"'),
    });
  });

  it('throws for a request without its execution context, and holds no permit for it', async () => {
    const { body } = await new Call(server.port('app'), '/without-context', {}).answer();
    expect(JSON.parse(body)).toMatchObject({
      code: 'ERR_HEADGATE_RUNTIME',
      message: expect.stringContaining('app.fetch(request, env, ctx)'),
      holders: 0,
    });
  });

  it('accepts a limit with a finite maxHold', async () => {
    expect(await errorOf('app', { limit: 1, maxHold: 1000 })).toEqual({});
  });
});
