import { remainsOfFirst } from '@headgate/test-kit/first-request';
import { WatchedRequest } from '@headgate/test-kit/watched-request';
import { expect, it } from 'vitest';
import { useLimits } from './use-limits.ts';
import { useServer } from './use-server.ts';

const { connect, limiter } = useLimits();
const service = useServer({ A: 2 });

it("the store's background work does not keep the async context of the first request, which opened its connections", async () => {
  const store = connect({ lease: 1_800, timeout: 600 });
  expect(await remainsOfFirst(limiter('one', {}, store), 700)).toEqual([]);
});

it('the heartbeats of a lock that is held for longer than the request do not keep its async context', async () => {
  const client = service.connect({ leaseDuration: 1_800 });
  const request = new WatchedRequest();
  let release = async () => {};
  await request.run(async () => {
    const lock = await client.lock('A');
    release = () => lock.release();
  });
  expect(await request.remains()).toEqual([]);
  await release();
});

it('the signal of a lock accepts any number of listeners without a warning', async () => {
  const lock = await service.connect().lock('A');
  for (let listener = 0; listener < 20; listener++) lock.signal.addEventListener('abort', () => {});
  // Warnings are emitted later, and fail the test.
  await new Promise(setImmediate);
  await lock.release();
});
