import { postgresStore } from '@headgate/postgres';
import type { LeaseRequest, LeaseVerb, Reply } from '@headgate/store-kit';
import { expect, onTestFinished, test } from 'vitest';
import { useDatabase } from './processes/database.ts';
import { limitOf, requestOf } from './request.ts';
import { clockOptions, elapse, stopClock } from './virtual-clock.ts';

const database = useDatabase(clockOptions, stopClock);
const LEASE = 10_000;
const HOUR = 3_600_000;

test('one lease from a clock that was ahead expires within two leases, and the others stay', async () => {
  const store = postgresStore({ connect: database.url, leaseDuration: LEASE });
  onTestFinished(() => store.close());
  const ref = { ...limitOf('far'), limit: 2 };
  const act = async (verb: LeaseVerb, ...leases: LeaseRequest[]) => {
    const ops = leases.map((lease) => ({ verb, lease }));
    return (await store.send(ops, 5_000)) as Reply[];
  };
  const [dead, alive] = [requestOf(store, ref), requestOf(store, ref)];
  const [, held] = await act('acquire', dead, alive);
  const far = 'UPDATE headgate.leases SET ends = ends + $2, expires = expires + $2 WHERE id = $1';
  await database.rows(far, [dead.id, HOUR * 1_000]);
  const renewed = { ...alive, fencing: held?.fencing };
  for (let passed = 0; passed < 2 * LEASE; passed += LEASE / 4) {
    await elapse(database, LEASE / 4);
    expect(await act('renew', renewed)).toMatchObject([{ state: 'held' }]);
  }
  const [reply] = await act('acquire', requestOf(store, ref));
  expect(reply).toMatchObject({ state: 'held', inflight: 2 });
});
