import { Redis } from 'ioredis';

/** One command on a connection of its own. */
export async function ask(port: number, command: string, ...args: string[]): Promise<unknown> {
  const client = new Redis({
    port,
    host: '127.0.0.1',
    lazyConnect: true,
    // One that is loading says so; it is asked again later.
    enableReadyCheck: false,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
  });
  client.on('error', () => {});
  try {
    await client.connect();
    return await client.call(command, ...args);
  } finally {
    client.disconnect();
  }
}

/** Whether a server there is ready for commands, though it may want a password first. */
export async function answers(port: number): Promise<boolean> {
  const answer = await ask(port, 'PING').catch((error: Error) => error.message);
  return answer === 'PONG' || String(answer).startsWith('NOAUTH');
}
