import { setTimeout as sleep } from 'node:timers/promises';
import { type Fault, type FaultContext, onServers, stamp } from '@headgate/chaos';
import type { PostgresServer } from '@headgate/test-servers';
import { order } from './admin.ts';

/** Maximum milliseconds until a terminated connection has ended. */
const delay = 100;

/** Identifies each of a store's three connections in the server's view of sessions. */
const kinds = {
  listening: `pid IN (SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND mode = 'ExclusiveLock' AND granted)`,
  working: `query ~ '(lease|limits)'`,
  errands: `query ~ '(watch|pg_notify|sweep|forget)'`,
};

/** Faults that the server inflicts on single connections; their processes are alive and reconnect. */
export function connections(server: PostgresServer): Fault[] {
  const terminate = async (which: string, { note }: FaultContext, worker?: string) => {
    const from = stamp();
    const sql = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE usename = 'app' AND application_name LIKE $1 AND ${which}`;
    await order(server, sql, worker ?? '%');
    const whose = worker === undefined ? {} : { worker };
    note({ kind: 'disconnected', from, at: stamp() + delay, ...whose });
  };
  const one = (kind: string, which: string): Fault => ({
    ...onServers(`terminate a connection (${kind})`, (context) =>
      terminate(which, context, victimOf(context)?.name),
    ),
    harmless: true,
  });
  const all = (kind: string, which: string): Fault =>
    onServers(`terminate connections (${kind})`, (context) => terminate(which, context));
  // Other processes see that its connection has ended, while its other connections renew its leases.
  const silence = onServers(
    'terminate a connection (listening), and let it make none for a while',
    async (context) => {
      const victim = victimOf(context);
      const proxy = victim && context.environment.proxies[context.workers.slotOf(victim)];
      proxy?.refuse(true);
      await terminate(kinds.listening, context, victim?.name);
      await sleep(context.rng.between(300, 1_500));
      proxy?.refuse(false);
    },
  );
  const active = `SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE usename = 'app' AND state = 'active'`;
  return [
    ...Object.entries(kinds).flatMap(([kind, which]) => [one(kind, which), all(kind, which)]),
    all('all', 'true'),
    { ...silence, harmless: true },
    onServers('cancel statements', () => order(server, active)),
  ];
}

/** Chooses mostly a worker that holds permits, which it must not lose. */
function victimOf({ workers, rng }: FaultContext) {
  const holder = rng.chance(0.7) ? rng.pick(workers.holders) : undefined;
  return holder ?? rng.pick(workers.members);
}
