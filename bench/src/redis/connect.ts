import { once } from 'node:events';
import { Redis } from 'ioredis';

/** Every contender uses the same client library, with its own connections. */
export async function connect(port: number): Promise<Redis> {
  // Without reconnecting: a measurement that has lost its server has failed, and retries would keep the process alive.
  const client = new Redis({ host: '127.0.0.1', port, retryStrategy: () => null });
  await once(client, 'ready');
  return client;
}
