import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Options as GotOptions } from 'got';
import { Agent, type Dispatcher } from 'undici';
import type { Upstream } from './upstream.ts';

/** How the clients reach the server. */
export interface Network {
  readonly url: string;
  readonly fetch: typeof fetch;
  /** Got's own transport, if it is not that of Node. */
  readonly gotRequest?: (timeout: number, signal: AbortSignal) => GotOptions['request'];
  dispatcher(headersTimeout: number): Dispatcher;
  close(): void;
}

/** A server on a port of this machine. */
export async function realNetwork(upstream: Upstream): Promise<Network> {
  const server = createServer({ keepAliveTimeout: 600_000 }, (_req, res) => {
    const left = new AbortController();
    res.once('close', () => {
      if (!res.writableEnded) left.abort();
    });
    upstream.receive((status) => res.writeHead(status).end(), left.signal);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    fetch,
    dispatcher: (headersTimeout) => new Agent({ headersTimeout }),
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
