import { createLimiter } from '@headgate/core';
import { postgresStore } from '@headgate/postgres';
import { startProxy } from '@headgate/test-servers';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { useDatabase } from './processes/database.ts';

const database = useDatabase();
let warnings: string[];
beforeEach(() => {
  warnings = [];
  vi.spyOn(process, 'emitWarning').mockImplementation((text) => void warnings.push(String(text)));
});
afterEach(() => {
  vi.restoreAllMocks();
});

function start(port: number, schema: string) {
  const store = postgresStore({
    connect: `postgres://postgres@127.0.0.1:${port}/postgres`,
    schema,
    leaseDuration: 15_000,
    timeout: 1_000,
  });
  const limiter = createLimiter({ name: 'start', limit: 1, store });
  onTestFinished(async () => {
    await limiter.close({ timeout: 0 });
    await store.close();
  });
  return { store, limiter };
}

test('a server that is down at the start causes one warning with its cause when a call has timed out, and a warning when it is back', async () => {
  const proxy = await startProxy(database.server);
  onTestFinished(() => proxy.stop());
  proxy.refuse(true);
  const { limiter } = start(proxy.port, 'headgate');
  const error = { code: 'ERR_HEADGATE_STORE_DOWN' };
  await expect(limiter.acquire()).rejects.toMatchObject(error);
  await expect(limiter.acquire()).rejects.toMatchObject(error);
  expect(warnings).toEqual([expect.stringMatching(/fails: PostgreSQL cannot be reached \(.+\)/)]);
  proxy.refuse(false);
  await vi.waitFor(async () => (await limiter.acquire()).release(), 8_000);
  expect(warnings.slice(1)).toEqual([expect.stringContaining('is back')]);
});

test('a forgotten migrate() causes one warning that names it', async () => {
  const { store, limiter } = start(database.server.port, 'forgotten');
  for (let i = 0; i < 3; i++) {
    await expect(limiter.acquire()).rejects.toMatchObject({ code: 'ERR_HEADGATE_STORE_REFUSED' });
  }
  expect(warnings).toEqual([expect.stringContaining('await store.migrate()')]);
  await store.migrate();
  await vi.waitFor(async () => (await limiter.acquire()).release(), 8_000);
  expect(warnings.slice(1)).toEqual([expect.stringContaining('is back')]);
});
