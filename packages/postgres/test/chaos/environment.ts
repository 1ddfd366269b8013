import { type Environment, type EnvironmentOptions, oneServer } from '@headgate/chaos';
import { type PostgresServer, startPostgres } from '@headgate/test-servers';
import { postgresStore } from '../../src/index.ts';
import { asAdmin, versionOf } from './admin.ts';
import { connections } from './connections.ts';
import { notifications } from './notifications.ts';
import { servers } from './servers.ts';

export async function single({ size, limits, ...times }: EnvironmentOptions): Promise<Environment> {
  const server = await startPostgres();
  const version = await prepare(server);
  return oneServer(size, {
    server,
    faults: [...connections(server), ...servers(server), ...notifications(server, version)],
    connectionSettings: (port, { name }) => urlOf(port, name),
    verify: async (port) => {
      const store = postgresStore({
        connect: urlOf(port, 'verifier'),
        leaseDuration: times.lease,
        timeout: times.timeout,
      });
      await store.migrate();
      // Afterwards it does not depend on notifications.
      await store.stats({ name: 'nobody' });
      return { store, close: () => store.close() };
    },
  });
}

/** Connects as an app's role with minimal privileges, under an application name that identifies the worker. */
function urlOf(port: number, name: string): string {
  return `postgres://app@127.0.0.1:${port}/postgres?application_name=${name}`;
}

/** Runs before any limit is used; resolves to the server's version. */
async function prepare(server: PostgresServer): Promise<number> {
  const version = await versionOf(server);
  await asAdmin(server, async (ask) => {
    await ask('CREATE ROLE app LOGIN');
    await ask('GRANT CREATE ON DATABASE postgres TO app');
    // The timeout must not end idle connections of the store.
    if (version >= 14) await ask(`ALTER ROLE app SET idle_session_timeout = '1s'`);
    // A queue this small can be filled.
    if (version >= 17) await ask('ALTER SYSTEM SET max_notify_queue_pages = 64');
  });
  await server.restart();
  return version;
}
