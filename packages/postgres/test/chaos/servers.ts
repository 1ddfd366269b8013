import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Fault,
  type FaultContext,
  forgetting,
  freeze,
  onServers,
  partOfLease,
  stamp,
} from '@headgate/chaos';
import type { PostgresServer } from '@headgate/test-servers';
import { asAdmin, order } from './admin.ts';

/**
 * Maximum milliseconds of commits that a crash loses, because they do not wait for the disk: three rounds of the WAL
 * writer, and a margin.
 */
const forgotten = 1_000;

/** Faults of the server. */
export function servers(server: PostgresServer): Fault[] {
  const ending = (name: string, inject: (context: FaultContext) => Promise<unknown>): Fault =>
    onServers(name, async (context) => {
      const from = stamp();
      await inject(context);
      context.note({ kind: 'disconnected', from, at: stamp() });
    });
  const crash = async () => {
    await server.crash();
    await server.restart();
  };
  return [
    onServers('freeze the server', (context) => freeze(server, context)),
    onServers('lock the tables', (context) => lock(server, context)),
    ending('restart the server', () => server.restart()),
    forgetting(ending('crash the server', crash), forgotten),
    forgetting(
      ending('kill a backend', (context) => killBackend(server, context)),
      forgotten,
    ),
    forgetting(
      onServers('TRUNCATE', () => order(server, 'TRUNCATE headgate.limits, headgate.leases')),
    ),
  ];
}

/** Like a migration that holds its lock for long. */
async function lock(server: PostgresServer, context: FaultContext): Promise<void> {
  await asAdmin(server, async (ask) => {
    await ask('BEGIN');
    await ask('LOCK TABLE headgate.limits, headgate.leases');
    await sleep(partOfLease(context));
    await ask('COMMIT');
  });
}

/** Like running out of memory: the server ends all other backends and recovers. */
async function killBackend(server: PostgresServer, { rng }: FaultContext): Promise<void> {
  const pids = await order(server, `SELECT pid FROM pg_stat_activity WHERE usename = 'app'`);
  const pid = rng.pick(pids);
  if (pid !== undefined) process.kill(Number(pid), 'SIGKILL');
  // The server still responds until it notices.
  await sleep(100);
  while (!(await order(server, 'SELECT 1').catch(() => undefined))) await sleep(20);
}
