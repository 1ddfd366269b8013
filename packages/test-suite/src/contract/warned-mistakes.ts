import { expect, it } from 'vitest';
import type { SuiteLimit, SuiteOptions } from '../framework.ts';
import { ok } from '../kit/handlers.ts';
import { collectWarnings } from '../kit/output.ts';
import type { World } from '../kit/world.ts';

export function warnedMistakes(world: World): void {
  async function serve(options: SuiteOptions) {
    return world.serve({ use: world.limit(options) }, { handle: ok });
  }

  it('warns once about a route without the prefix under which its router is mounted', async () => {
    const warnings = collectWarnings('HEADGATE_ROUTE_PREFIX');
    const app = await serve({ limits: [{ name: 'reports', limit: 1, route: '/reports/:id' }] });
    for (const path of ['/', '/reports', '/api/v1/reports/1', '/api/v1/reports/2'])
      await app.call(path).answer();
    const expected = /"\/reports\/:id" of limit "reports".*docs\/errors\.md/;
    expect(warnings).toEqual([expect.stringMatching(expected)]);
  });

  it('does not warn about a route that has matched', async () => {
    const warnings = collectWarnings('HEADGATE_ROUTE_PREFIX');
    const app = await serve({ limits: [{ name: 'reports', limit: 1, route: '/reports/:id' }] });
    for (const path of ['/reports/1', '/api/reports/1']) await app.call(path).answer();
    expect(warnings).toEqual([]);
  });

  it.each([undefined, '203.0.113.7'])(
    'warns about a key that is the address of a proxy: X-Forwarded-For is %s',
    async (forwarded) => {
      const warnings = collectWarnings('HEADGATE_UNTRUSTED_PROXY');
      let address: string | undefined;
      const key: SuiteOptions['key'] = ({ incoming }) => {
        // A server other than Node's does not reveal it.
        address = incoming?.socket.remoteAddress;
        return `ip ${address}`;
      };
      const app = await serve({ name: 'clients', limit: 1, key });
      const headers = forwarded === undefined ? {} : { 'X-Forwarded-For': forwarded };
      for (const path of ['/1', '/2']) await app.call(path, { headers }).answer();
      const expected = expect.stringMatching(/key of limit "clients".*X-Forwarded-For/);
      expect(warnings).toEqual(forwarded !== undefined && address !== undefined ? [expected] : []);
    },
  );

  it('does not warn about a key that a trusted proxy has set', async () => {
    const warnings = collectWarnings('HEADGATE_UNTRUSTED_PROXY');
    const app = await serve({ limit: 1, key: ({ header }) => header('x-forwarded-for') });
    await app.call('/', { headers: { 'X-Forwarded-For': '203.0.113.7' } }).answer();
    expect(warnings).toEqual([]);
  });

  it.each([
    ['app', 'app', 1],
    ['app', 'route', 0],
    [undefined, undefined, 0],
  ])('warns about nested limits of one name: %s and %s', async (outer, inner, count) => {
    const warnings = collectWarnings('HEADGATE_SAME_NAME');
    const [around, within] = [outer, inner].map((name) =>
      world.limit({ limit: 1, ...(name === undefined ? {} : { name }) }),
    ) as [SuiteLimit, SuiteLimit];
    const app = await world.serve({ use: around }, { use: within }, { handle: ok });
    for (const path of ['/1', '/2']) await app.call(path).answer();
    expect(warnings).toEqual(Array(count).fill(expect.stringMatching(/limits named "app"/)));
  });
}
