import { setTimeout as sleep } from 'node:timers/promises';
import { type Fault, onServers } from '@headgate/chaos';
import type { PostgresServer } from '@headgate/test-servers';
import { asAdmin, order } from './admin.ts';

/** Faults of notifications: none is delivered, and no release may fail because of it. */
export function notifications(server: PostgresServer, version: number): Fault[] {
  const refuse = onServers('refuse notifications', async ({ rng, lease }) => {
    await order(server, 'REVOKE EXECUTE ON FUNCTION pg_notify(text, text) FROM PUBLIC');
    await sleep(lease * rng.between(0.5, 1.5));
    await order(server, 'GRANT EXECUTE ON FUNCTION pg_notify(text, text) TO PUBLIC');
  });
  const fill = onServers('fill the queue of notifications', ({ rng, lease }) =>
    fillQueue(server, lease * rng.between(0.5, 1.5)),
  );
  // Before PostgreSQL 17 the queue has 8 GB.
  return version >= 17 ? [refuse, fill] : [refuse];
}

/** A session that listens in an open transaction reads no notifications, and unread ones are not removed. */
async function fillQueue(server: PostgresServer, duration: number): Promise<void> {
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
    await sleep(duration);
    await ask('COMMIT');
    // No other session cleans up a full queue.
    await ask('UNLISTEN chaos');
    await ask('SELECT pg_notification_queue_usage()');
  });
}
