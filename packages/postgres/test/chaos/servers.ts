import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Fault,
  forgetting,
  freeze,
  onServers,
  partOfLease,
  type Stage,
  stamp,
} from '@headgate/chaos';
import type { PostgresServer } from '@headgate/test-servers';
import { asAdmin, order } from './admin.ts';

/**
 * Milliseconds that a crash forgets, where commits do not wait for the disk: three rounds of what writes to it, and
 * some.
 */
const forgotten = 1_000;

/** What befalls the server. */
export function servers(server: PostgresServer): Fault[] {
  const ending = (name: string, strike: (stage: Stage) => Promise<unknown>): Fault =>
    onServers(name, async (stage) => {
      const from = stamp();
      await strike(stage);
      stage.note({ kind: 'disconnected', from, at: stamp() });
    });
  const crash = async () => {
    await server.crash();
    await server.restart();
  };
  return [
    onServers('freeze the server', (stage) => freeze(server, stage)),
    onServers('lock the tables', (stage) => lock(server, stage)),
    ending('restart the server', () => server.restart()),
    forgetting(ending('crash the server', crash), forgotten),
    forgetting(
      ending('kill a backend', (stage) => killBackend(server, stage)),
      forgotten,
    ),
    forgetting(
      onServers('TRUNCATE', () => order(server, 'TRUNCATE headgate.limits, headgate.leases')),
    ),
  ];
}

/** As a careless migration does. */
async function lock(server: PostgresServer, stage: Stage): Promise<void> {
  await asAdmin(server, async (ask) => {
    await ask('BEGIN');
    await ask('LOCK TABLE headgate.limits, headgate.leases');
    await sleep(partOfLease(stage));
    await ask('COMMIT');
  });
}

/** As when memory runs out: the server ends all others, too, and recovers. */
async function killBackend(server: PostgresServer, { dice }: Stage): Promise<void> {
  const pids = await order(server, `SELECT pid FROM pg_stat_activity WHERE usename = 'app'`);
  const pid = dice.pick(pids);
  if (pid !== undefined) process.kill(Number(pid), 'SIGKILL');
  // Until it has noticed, it answers still.
  await sleep(100);
  while (!(await order(server, 'SELECT 1').catch(() => undefined))) await sleep(20);
}
