import { createLimiter } from '@headgate/core';
import { serverStore } from '@headgate/server-client';
import { expect, onTestFinished, test, vi } from 'vitest';
import { type Asked, type Script, startFake } from './fake-service.ts';

const state = { inflight: 1, queued: 0, limit: 1, version: '1', checkIn: 9_000, reclaimed: 0 };

const verbsOf = ({ body }: Asked): string[] =>
  JSON.parse(body).ops.map(({ verb }: { verb: string }) => verb);

const isRelease = (asked: Asked) =>
  asked.path === '/limits' && verbsOf(asked).some((verb) => verb === 'release');

const all =
  (answer: string): Script =>
  (asked) => [200, JSON.stringify(verbsOf(asked).map(() => ({ state: answer, ...state })))];

/** Acquires and releases a permit at a service that answers releases by this script. */
async function release(script: Script) {
  const fake = await startFake((asked) => {
    if (asked.path !== '/limits') return undefined;
    return isRelease(asked) ? script(asked) : all('held')(asked);
  });
  const store = serverStore({ url: fake.url });
  onTestFinished(() => store.close());
  const lost = vi.fn();
  const limiter = createLimiter({ name: 'A', limit: 1, store });
  limiter.observe({ lost });
  (await limiter.acquire()).release();
  await limiter.close();
  return { lost, releases: fake.asked.filter(isRelease).length };
}

test('a release whose connection ended before the answer is repeated, and not reported as lost', async () => {
  let hasReleased = false;
  const { lost, releases } = await release((asked) => {
    if (hasReleased) return all('lost')(asked);
    hasReleased = true;
    return 'cut';
  });
  expect(releases).toBe(2);
  expect(lost).not.toHaveBeenCalled();
});

test('a release that finds no lease at once is reported as lost', async () => {
  const { lost, releases } = await release(all('lost'));
  expect(releases).toBe(1);
  expect(lost).toHaveBeenCalledOnce();
});
