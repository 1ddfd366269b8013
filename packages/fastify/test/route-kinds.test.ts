import { counts } from '@headgate/test-suite';
import { recordingLimit } from '@headgate/test-suite/kit';
import { describe, expect, it } from 'vitest';
import { appsOfEachTest, versions } from './apps.ts';

describe.each(versions)('the kinds of routes in %s', (name, create) => {
  const { limited, world } = appsOfEachTest(name, create);

  it('differ for routes of the same path with different constraints', async () => {
    const { samples, limit } = recordingLimit();
    const plugin = limited({ limit });
    const app = create();
    await app.register(plugin);
    for (const version of ['1.0.0', '2.0.0']) {
      app.get('/', { constraints: { version } }, async () => 'ok');
    }
    await app.ready();
    const running = await world.serveThrough(() => (req, res) => app.routing(req, res));
    for (const version of ['1.x', '1.0.x', '2.x']) {
      const headers = { 'Accept-Version': version };
      expect(await running.call('/', { headers }).answer()).toMatchObject({ status: 200 });
      await counts(plugin, 0);
    }
    const [first, again, second] = samples.map(({ kind }) => kind);
    expect(first).toContain('GET / ');
    expect([again, second === first]).toEqual([first, false]);
  });
});
