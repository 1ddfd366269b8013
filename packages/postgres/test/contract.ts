import { postgresStore } from '@headgate/postgres';
import { type FaultyProxy, startProxy } from '@headgate/test-servers';
import { storeSuite } from '@headgate/test-suite';
import { afterAll, beforeAll, vi } from 'vitest';
import { useDatabase } from './processes/database.ts';
import { clockOptions, elapse, stopClock } from './virtual-clock.ts';

/** Tests the store contract, or these topics of it, with the virtual clock of a database. */
export function contractSuite(topics?: readonly string[]): void {
  const database = useDatabase(clockOptions, stopClock);
  let proxy: FaultyProxy;
  beforeAll(async () => {
    proxy = await startProxy(database.server);
  });
  afterAll(() => proxy.stop());
  storeSuite({
    name: 'PostgreSQL',
    topics,
    // In virtual time. A third of it is the maximum duration of an answer in real time: three seconds for busy
    // machines.
    leaseDuration: 9_000,
    connect: async (times) => {
      const store = postgresStore({ connect: database.through(proxy).url, ...times });
      await vi.waitFor(() => store.stats({ name: 'connects' }), 5_000);
      return store;
    },
    elapse: (milliseconds) => elapse(database, milliseconds),
    setBack: (milliseconds) => elapse(database, -milliseconds),
    wipe: async () => void (await database.rows('TRUNCATE headgate.limits, headgate.leases')),
    hang: () => {
      database.server.freeze();
      return () => database.server.thaw();
    },
    refuse: () => proxy.away(),
  });
}
