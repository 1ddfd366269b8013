import { postgresStore } from '@headgate/postgres';
import { expect, onTestFinished, test, vi } from 'vitest';
import { addressOf } from '../src/address.ts';
import { useDatabase } from './processes/database.ts';

const database = useDatabase();

test('leases that expire while a limit is paused are reported once', async () => {
  const short = postgresStore({ connect: database.server.url, leaseDuration: 1_500 });
  const store = postgresStore({ connect: database.server.url });
  onTestFinished(async () => {
    await short.close();
    await store.close();
  });
  // On a busy machine, the first call takes longer than the timeout.
  await vi.waitFor(() => short.stats({ name: 'counted' }), 10_000);
  const ref = { name: 'counted', limit: 2, version: '' };
  const terms = { weight: 1, resized: false, extraTokens: 0, reserves: false };
  const lease = { ref, id: `${short.owner}.1`, ...terms, wait: 0, queueLimit: 0 };
  const [held] = await short.send([{ verb: 'acquire', lease }], 5_000);
  expect(held).toMatchObject({ state: 'held' });
  const change = { status: 'paused' } as const;
  await store.send([{ verb: 'declare', ref, change }], 5_000);
  const { hash, label } = addressOf(ref);
  const reclaimed = async () => {
    await database.rows(`SELECT headgate.lease($1, $2, 0, 0, 0, 0, 0, 'old', '{}')`, [hash, label]);
    return database.ask('SELECT reclaimed FROM headgate.limits WHERE label = \'["counted"]\'');
  };
  await vi.waitFor(async () => expect(await reclaimed()).toBe('-2'), 10_000);
  const [first] = await store.send([{ verb: 'declare', ref }], 5_000);
  const [second] = await store.send([{ verb: 'declare', ref }], 5_000);
  expect([first, second]).toMatchObject([
    { reclaimed: 1, inflight: 0 },
    { reclaimed: 0, operated: { status: 'paused' } },
  ]);
});
