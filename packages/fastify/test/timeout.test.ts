import { expectHeldAfterTimeout } from '@headgate/test-kit/held-after-timeout';
import Fastify from 'fastify';
import { it } from 'vitest';
import { appsOfEachTest } from './apps.ts';

const { limited, serve } = appsOfEachTest('Fastify 5', Fastify);

it('handlerTimeout leaves the permit until an async handler is done', async () => {
  const limit = limited({ limit: 1 });
  await expectHeldAfterTimeout(limit, async (work) => {
    const app = Fastify({ handlerTimeout: 10 });
    await app.register(limit);
    app.get('/', async () => {
      await work();
      return 'done';
    });
    const send = await serve(app);
    return () => send('/').answer();
  });
});
