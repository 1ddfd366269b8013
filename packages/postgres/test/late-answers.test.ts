import { createLimiter } from '@headgate/core';
import { postgresStore } from '@headgate/postgres';
import { startProxy } from '@headgate/test-servers';
import { expect, onTestFinished, test, vi } from 'vitest';
import { blockEventLoop } from './blocked-event-loop.ts';
import { useDatabase } from './processes/database.ts';
import { limitOf, requestOf } from './request.ts';

// Operations that were executed, and whose answer arrives late or not at all.

const database = useDatabase();

test('an answer that arrived while the event loop was busy counts as in time', async () => {
  const timeout = 200;
  const store = postgresStore({ connect: database.url, timeout });
  onTestFinished(() => store.close());
  const ref = limitOf('busy');
  await vi.waitFor(async () => {
    const [answer] = await store.send([{ verb: 'release', lease: requestOf(store, ref) }], timeout);
    expect(answer).toMatchObject({ state: 'lost' });
  }, 5_000);
  const states: boolean[] = [];
  const listener = { grant() {}, recall() {}, check() {}, state: (up: boolean) => states.push(up) };
  store.listen(listener);
  const answer = store.send([{ verb: 'acquire', lease: requestOf(store, ref) }], timeout);
  blockEventLoop(2 * timeout);
  expect(await answer).toMatchObject([{ state: 'held' }]);
  expect(states).toEqual([]);
});

test('a release whose answer is lost with its connection does not count as a lost permit', async () => {
  const proxy = await startProxy(database.server);
  onTestFinished(() => proxy.stop());
  const store = postgresStore({ connect: database.through(proxy).url });
  await vi.waitFor(() => store.stats({ name: 'connects' }), 5_000);
  const limiter = createLimiter({
    ...{ name: 'cut', limit: 1, store },
  });
  limiter.observe({ store() {} });
  onTestFinished(async () => {
    await limiter.close({ timeout: 0 });
    await store.close();
  });
  const permit = await vi.waitFor(() => limiter.acquire(), 5_000);
  proxy.delay(300);
  permit.release();
  await vi.waitFor(
    async () => {
      const inflight = `SELECT inflight::int FROM headgate.limits WHERE label = '["cut"]'`;
      expect(await database.ask(inflight)).toBe(0);
    },
    { timeout: 5_000, interval: 5 },
  );
  // The answer is on its way.
  proxy.cut();
  proxy.delay(0);
  await vi.waitFor(() => limiter.run(() => {}), 5_000);
  expect(limiter.stats()).toMatchObject({ distributed: { lost: 0 } });
});
