import { type RedisStoreOptions, redisStore } from '@headgate/redis';
import type { Open } from '../../distributed/contender.ts';
import { limited, type Saving } from '../../distributed/limited.ts';
import { connect, connectCluster } from '../connect.ts';
import type { RedisSetting } from './setting.ts';

export const headgate =
  (saving: Saving = {}): Open<RedisSetting> =>
  async (setting) => {
    const { port, ports = [port], lease, isCluster = false } = setting;
    const client = (port: number) => (isCluster ? connectCluster(port) : connect(port));
    const clients: RedisStoreOptions['client'][] = await Promise.all(ports.map(client));
    const stores = clients.map((client) => redisStore({ client, leaseDuration: lease, ...saving }));
    return limited(stores, setting);
  };
