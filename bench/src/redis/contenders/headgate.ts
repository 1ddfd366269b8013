import { redisStore } from '@headgate/redis';
import type { Open } from '../../distributed/contender.ts';
import { limited, type Saving } from '../../distributed/limited.ts';
import { connect, connectCluster } from '../connect.ts';
import type { RedisSetting } from './setting.ts';

export const headgate =
  (saving: Saving = {}): Open<RedisSetting> =>
  async (setting) => {
    const { port, lease, isCluster = false } = setting;
    const client = await (isCluster ? connectCluster(port) : connect(port));
    return limited(redisStore({ client, leaseDuration: lease }), setting, saving);
  };
