import type { Ground, GroundOptions } from '@headgate/chaos';
import { type PostgresServer, startPostgres, startProxy } from '@headgate/test-servers';
import { postgresStore } from '../../src/index.ts';
import { asAdmin, versionOf } from './admin.ts';
import { connections } from './connections.ts';
import { notifications } from './notifications.ts';
import { servers } from './servers.ts';

/** One server, and a proxy before it for each worker. */
export async function single({ size, limits, ...times }: GroundOptions): Promise<Ground> {
  const server = await startPostgres();
  const version = await prepare(server);
  const proxies = await Promise.all(Array.from({ length: size }, () => startProxy(server)));
  const store = postgresStore({ connect: urlOf(server.port, 'verifier'), ...times });
  await store.migrate();
  // From now on it does not depend on notifications.
  await store.stats({ name: 'nobody' });
  return {
    ...{ proxies, store },
    faults: [
      ...connections(server, proxies),
      ...servers(server),
      ...notifications(server, version),
    ],
    way: ({ slot, name }) => urlOf(proxies[slot]?.port ?? 0, name),
    stop: async () => {
      await store.close();
      await Promise.all(proxies.map((proxy) => proxy.stop()));
      await server.stop();
    },
  };
}

/** As a role of the app's, that may do no more than it must, under a name that tells the worker. */
function urlOf(port: number, name: string): string {
  return `postgres://app@127.0.0.1:${port}/postgres?application_name=${name}`;
}

/** What is done before any limit is used; resolves to the server's version. */
async function prepare(server: PostgresServer): Promise<number> {
  const version = await versionOf(server);
  await asAdmin(server, async (ask) => {
    await ask('CREATE ROLE app LOGIN');
    await ask('GRANT CREATE ON DATABASE postgres TO app');
    // Idle connections are to be safe from it.
    if (version >= 14) await ask(`ALTER SYSTEM SET idle_session_timeout = '1s'`);
    // So little can be filled.
    if (version >= 17) await ask('ALTER SYSTEM SET max_notify_queue_pages = 64');
  });
  await server.restart();
  return version;
}
