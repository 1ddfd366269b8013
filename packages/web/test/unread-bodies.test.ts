import { collectGarbage } from '@headgate/test-kit/collect-garbage';
import { aRound } from '@headgate/test-suite/kit';
import { adaptive, type ConcurrencyLimitOptions, concurrencyLimit } from '@headgate/web';
import { expect, it } from 'vitest';

/** A body that never ends. */
const endless = () => new ReadableStream({ pull: (controller) => controller.enqueue('more ') });

it.each<[string, ConcurrencyLimitOptions]>([
  ['a fixed limit', { limit: 1 }],
  ['an adaptive limit', { limit: adaptive(), classify: ({ ok }) => (ok ? 'ok' : 'dropped') }],
])('an unread body releases its permits once it is garbage-collected: %s', async (_, options) => {
  const [outer, inner] = [concurrencyLimit(options), concurrencyLimit(options)];
  const handler = outer.wrap((request: Request) => inner(request, () => new Response(endless())));
  const request = async () => {
    const response = await handler(new Request('http://localhost/'));
    await aRound();
    expect([outer.holders, inner.holders]).toEqual([1, 1]);
    // Until here, the response is reachable, so that an earlier garbage collection releases nothing.
    return response.status;
  };
  expect(await request()).toBe(200);
  for (let i = 0; i < 20 && outer.holders + inner.holders > 0; i++) {
    collectGarbage();
    await aRound();
  }
  expect([outer.holders, inner.holders]).toEqual([0, 0]);
});

it('a complete body that nothing reads releases its permit', async () => {
  const limit = concurrencyLimit({ limit: 1, queueLimit: 0 });
  const handler = limit.wrap(() => new Response('complete'));
  for (let i = 0; i < 3; i++) {
    expect((await handler(new Request('http://localhost/'))).status).toBe(200);
    await aRound();
  }
});
