import { redisStore } from '@headgate/redis';
import type { Open } from '../../distributed/contender.ts';
import { limited, type Saving } from '../../distributed/limited.ts';
import { connect } from '../connect.ts';

export const headgate =
  (saving: Saving = {}): Open =>
  async (setting) => {
    const { port, lease } = setting;
    return limited(
      redisStore({ client: await connect(port), leaseDuration: lease }),
      setting,
      saving,
    );
  };
