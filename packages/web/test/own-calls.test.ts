import { counts } from '@headgate/test-suite';
import { concurrencyLimit } from '@headgate/web';
import { expect, it, vi } from 'vitest';

const requestTo = (path: string) => new Request(`http://localhost${path}`);

it('a call of the handler within itself runs on the permit of its request', async () => {
  const limit = concurrencyLimit({ limit: 1 });
  const app = limit.wrap(async (request: Request): Promise<Response> => {
    return request.url.endsWith('/page') ? app(requestTo('/inner')) : new Response('inner');
  });
  const responses = await Promise.all([1, 2, 3].map(() => app(requestTo('/page'))));
  expect(await Promise.all(responses.map((response) => response.text()))).toEqual(
    Array(3).fill('inner'),
  );
  expect(limit.stats()).toMatchObject({ admitted: 3, reentered: 3 });
  await counts(limit, 0, 0);
});

it('the guard that has admitted a request is not asked about its own calls', async () => {
  const admits = vi.fn(() => true);
  const limit = concurrencyLimit({ limit: 1, guard: { name: 'sentry', admits } });
  const app = limit.wrap(async (request: Request): Promise<Response> => {
    return request.url.endsWith('/page') ? app(requestTo('/inner')) : new Response('inner');
  });
  expect(await (await app(requestTo('/page'))).text()).toBe('inner');
  expect(admits).toHaveBeenCalledTimes(1);
});

it('an inner request whose priority throws does not hold the permit of its outer request', async () => {
  const limits = [
    { name: 'inner', limit: 9, route: '/inner' },
    { name: 'app', limit: 1 },
  ];
  const priority = (request: Request) => {
    if (request.url.endsWith('/inner')) throw new Error('of the app');
    return 'normal' as const;
  };
  const limit = concurrencyLimit({ limits, priority });
  const app = limit.wrap(async (request: Request): Promise<Response> => {
    await expect(app(requestTo('/inner'))).rejects.toThrow('of the app');
    return new Response(request.url);
  });
  expect((await app(requestTo('/page'))).status).toBe(200);
  expect(limit.stats()).toMatchObject({ reentered: 1 });
  await counts(limit, 0, 0);
});
