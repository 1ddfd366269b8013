import { ipKey } from '@headgate/fastify';
import { collectWarnings } from '@headgate/test-suite/kit';
import { describe, expect, it } from 'vitest';
import { appsOfEachTest, versions } from './apps.ts';

describe.each(versions)('%s', (name, create) => {
  const { limited, serve } = appsOfEachTest(name, create);

  it.each([
    ['loopback', 0],
    [true, 1],
  ])(
    'with trustProxy %s, warns %i times about a key that clients can choose',
    async (trustProxy, count) => {
      const warnings = collectWarnings('HEADGATE_PERMISSIVE_PROXY');
      const app = create({ trustProxy });
      await app.register(limited({ name: 'clients', limit: 1, key: ({ ip }) => ipKey(ip) }));
      app.get('/', async () => 'ok');
      const send = await serve(app, { headers: { 'X-Forwarded-For': '203.0.113.7' } });
      for (let call = 0; call < 2; call++) expect((await send('/').answer()).status).toBe(200);
      expect(warnings).toEqual(Array(count).fill(expect.stringMatching(/key of limit "clients"/)));
    },
  );
});
