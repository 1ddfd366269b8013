import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  type ConcurrencyLimit,
  type ConcurrencyLimitOptions,
  concurrencyLimit,
} from '@headgate/node';
import { onTestFinished } from 'vitest';
import type { Message } from '../../src/message.ts';
import { limitServers } from '../../src/register/limited-servers.ts';

/** Limits all servers of HTTP that are created by this test. */
export function limited(options: ConcurrencyLimitOptions<Message>): ConcurrencyLimit<Message> {
  const limit = concurrencyLimit<Message>(options);
  onTestFinished(limitServers({ limitOf: () => limit }));
  return limit;
}

/** The port of a server. */
export async function listening(server: Server): Promise<number> {
  onTestFinished(() => void server.close().closeAllConnections());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}
