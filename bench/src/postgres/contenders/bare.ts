import type { Open } from '../../distributed/contender.ts';
import { connect } from '../connect.ts';

/**
 * A counter that is changed twice, each time by one prepared statement, on a connection whose commits do not wait for
 * the disk. It limits nothing, so the difference to it is the cost of the limit.
 */
export const bare: Open = async ({ port, name }) => {
  const client = await connect(port);
  await client.query('SET synchronous_commit = off');
  const change = (by: number) =>
    client.query({
      name: `change ${by}`,
      text: `UPDATE bare SET held = held + ${by} WHERE name = $1`,
      values: [name],
    });
  return {
    acquire: async () => {
      await change(1);
      return { release: () => change(-1) };
    },
  };
};
