import { startWorkerd, type WorkerdServer } from '@headgate/test-servers';
import { afterAll, beforeAll, expect, it } from 'vitest';

let server: WorkerdServer;

beforeAll(async () => {
  const program = (name: string) => new URL(name, import.meta.url);
  server = await startWorkerd({
    app: { program: program('app.ts'), bindings: { UPSTREAM: 'upstream' } },
    upstream: { program: program('upstream.ts') },
  });
});
afterAll(() => server.stop());

const call = (path: string) => fetch(`http://127.0.0.1:${server.port('app')}${path}`);

it.each([
  ['/read', 200_000],
  ['/many', 10],
  ['/cancel', undefined],
  ['/global', 'text'],
  ['/failed', 503],
  ['/abort', 'left'],
])('a call holds no permit after it has ended, on Workers: %s', async (path, result) => {
  expect(await (await call(path)).json()).toEqual({ result, held: 0 });
});

it('requests wait for the calls of other requests, on Workers', async () => {
  const results = Array.from({ length: 8 }, async () => (await call('/read')).json());
  for (const answer of await Promise.all(results))
    expect(answer).toMatchObject({ result: 200_000 });
  expect(await (await call('/read')).json()).toEqual({ result: 200_000, held: 0 });
});

it('a Worker can pass a response on', async () => {
  const response = await call('/pass-on');
  expect([response.status, await response.text()]).toEqual([503, 'failed']);
});
