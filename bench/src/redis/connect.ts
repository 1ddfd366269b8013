import { once } from 'node:events';
import { Redis } from 'ioredis';

/** Every contender speaks through the same client library, on connections of its own. */
export async function connect(port: number): Promise<Redis> {
  // A measurement that has lost its server is over: to reconnect would only keep the process alive.
  const client = new Redis({ host: '127.0.0.1', port, retryStrategy: () => null });
  await once(client, 'ready');
  return client;
}
