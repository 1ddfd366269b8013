import type { RedisServer } from '@headgate/test-servers';
import { Redis } from 'ioredis';

/** Sends one command on a connection of its own. Rejects if the server cannot be reached. */
export async function command(
  { port }: Pick<RedisServer, 'port'>,
  name: string,
  ...args: string[]
): Promise<unknown> {
  const client = new Redis({
    port,
    host: '127.0.0.1',
    lazyConnect: true,
    retryStrategy: () => null,
  });
  client.on('error', () => {});
  try {
    await client.connect();
    return await client.call(name, ...args);
  } finally {
    client.disconnect();
  }
}
