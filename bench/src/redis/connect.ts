import { once } from 'node:events';
import { Redis } from 'ioredis';

/** Every contender speaks through the same client library, on connections of its own. */
export async function connect(port: number): Promise<Redis> {
  const client = new Redis({ host: '127.0.0.1', port });
  await once(client, 'ready');
  return client;
}
