import { VirtualClock } from '@headgate/test-suite';
import { onTestFinished } from 'vitest';
import { createServer, type Server, type ServerOptions } from '../src/index.ts';
import { Client } from './client.ts';

export interface Scene {
  readonly server: Server;
  readonly port: number;
  readonly client: Client;
  readonly clock: VirtualClock;
  /** The log messages, such as `warn Removed 1 peers due to expiration.` */
  readonly log: string[];
}

/** Starts a server on loopback, with a clock that only the test advances. It is closed at the end of the test. */
export async function scene(
  semaphores: ServerOptions['semaphores'],
  options: Partial<ServerOptions> = {},
): Promise<Scene> {
  const clock = new VirtualClock({ start: 0 });
  const log: string[] = [];
  const note = (level: string) => (message: string) => void log.push(`${level} ${message}`);
  const levels = { warn: note('warn'), error: note('error') };
  const server = createServer({ semaphores, clock, log: levels, ...options });
  const { url } = await server.listen({ port: 0 });
  const port = Number(new URL(url).port);
  const client = new Client({ port });
  onTestFinished(async () => {
    client.close();
    await server.close();
  });
  return { server, port, client, clock, log };
}
