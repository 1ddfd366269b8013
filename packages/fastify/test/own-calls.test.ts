import { describe, expect, it } from 'vitest';
import { appsOfEachTest, versions } from './apps.ts';

describe.each(versions)('%s', (name, create) => {
  const { limited, serve } = appsOfEachTest(name, create);

  it('app.inject() within a handler runs on the permit of its request', async () => {
    const limit = limited({ limit: 1 });
    const app = create();
    await app.register(limit);
    app.get('/inner', async () => 'inner');
    app.get('/page', async () => (await app.inject('/inner')).body);
    const call = await serve(app);
    const calls = [1, 2, 3].map(() => call('/page').answer());
    for (const each of calls) expect(await each).toMatchObject({ status: 200, body: 'inner' });
    expect(limit.stats()).toMatchObject({ admitted: 3, reentered: 3 });
  });
});
