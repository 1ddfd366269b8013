import { Redis } from 'ioredis';

/** Sends one command on a connection of its own. */
export async function ask(port: number, command: string, ...args: string[]): Promise<unknown> {
  const client = new Redis({
    port,
    host: '127.0.0.1',
    lazyConnect: true,
    // A server that is still loading its data returns an error, after which the caller retries.
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

/** Whether the server at this port accepts commands, even if it requires a password first. */
export async function answers(port: number): Promise<boolean> {
  const answer = await ask(port, 'PING').catch((error: Error) => error.message);
  return answer === 'PONG' || String(answer).startsWith('NOAUTH');
}
