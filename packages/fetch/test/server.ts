import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import type { LimitedFetch } from '../src/index.ts';

/** Starts a server for a test, and returns its origin. */
export async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Permits held and waiters of all origins. */
export function held(api: LimitedFetch): number {
  return api.stats().reduce((sum, { holders, queued }) => sum + holders + queued, 0);
}
