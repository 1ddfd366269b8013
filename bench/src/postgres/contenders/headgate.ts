import { postgresStore } from '@headgate/postgres';
import type { Open } from '../../distributed/contender.ts';
import { limited, type Saving } from '../../distributed/limited.ts';
import { configOf } from '../connect.ts';

export const headgate =
  (saving: Saving = {}): Open =>
  async (setting) => {
    const { port, lease, name } = setting;
    const store = postgresStore({ connect: configOf(port), leaseDuration: lease, ...saving });
    // Waits until the store is connected and listening.
    await store.stats({ name });
    return limited([store], setting);
  };
