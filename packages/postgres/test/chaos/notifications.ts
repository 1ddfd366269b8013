import { setTimeout as sleep } from 'node:timers/promises';
import { type Fault, onServers } from '@headgate/chaos';
import type { PostgresServer } from '@headgate/test-servers';
import { asAdmin, order } from './admin.ts';

/** What befalls notifications: nobody is told of anything, and no release may fail by it. */
export function notifications(server: PostgresServer, version: number): Fault[] {
  const refuse = onServers('refuse notifications', async ({ dice, lease }) => {
    await order(server, 'REVOKE EXECUTE ON FUNCTION pg_notify(text, text) FROM PUBLIC');
    await sleep(lease * dice.between(0.5, 1.5));
    await order(server, 'GRANT EXECUTE ON FUNCTION pg_notify(text, text) TO PUBLIC');
  });
  const fill = onServers('fill the queue of notifications', ({ dice, lease }) =>
    fillQueue(server, lease * dice.between(0.5, 1.5)),
  );
  // Before 17 it takes 8 GB.
  return version >= 17 ? [refuse, fill] : [refuse];
}

/** Who listens in an open transaction reads none, and none that it has not read is cleared away. */
async function fillQueue(server: PostgresServer, lasts: number): Promise<void> {
  await asAdmin(server, async (ask) => {
    await ask('LISTEN chaos');
    await ask('BEGIN');
    await ask('SELECT 1');
    const fill = `SELECT pg_notify('chaos', repeat('x', 7000) || i) FROM generate_series(1, 8) AS i`;
    const filled = async () =>
      order(server, fill).then(
        () => false,
        () => true,
      );
    while (!(await filled()));
    await sleep(lasts);
    await ask('COMMIT');
    // Nobody else clears a queue that is full.
    await ask('UNLISTEN chaos');
    await ask('SELECT pg_notification_queue_usage()');
  });
}
