import { createLimiter } from '@headgate/core';
import { serverStore } from '@headgate/server-client';
import { expect, onTestFinished, test, vi } from 'vitest';
import { type Asked, fine, type Script, startFake } from './fake-service.ts';

const isRelease = ({ method }: Asked) => method === 'DELETE';

/** Acquires and releases a permit at a service that answers releases by this script. */
async function release(script: Script) {
  const fake = await startFake((asked) => {
    if (asked.path === '/metrics') return [200, 'throttle_max{semaphore="A"} 1\n'];
    return isRelease(asked) ? script(asked) : fine(asked);
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
  const { lost, releases } = await release(() => {
    if (hasReleased) return [200, '"Peer not found"'];
    hasReleased = true;
    return 'cut';
  });
  expect(releases).toBe(2);
  expect(lost).not.toHaveBeenCalled();
});

test('a release that finds no lease at once is reported as lost', async () => {
  const { lost, releases } = await release(() => [200, '"Peer not found"']);
  expect(releases).toBe(1);
  expect(lost).toHaveBeenCalledOnce();
});
