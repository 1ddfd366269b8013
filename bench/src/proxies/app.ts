import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import {
  type AddressInfo,
  createServer as createTcpServer,
  type Server as TcpServer,
} from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { createLimiter } from '@headgate/core';
import { concurrencyLimit } from '@headgate/node';

/** How long a handler takes, in milliseconds. */
export const WORK = 100;

interface Options {
  readonly limit: number;
  readonly queueLimit?: number;
}

/** An app behind a proxy, and the agent that reports its weight to HAProxy. */
export class App {
  /** Requests whose handler has begun. */
  handled = 0;
  readonly #limiter;
  readonly #server: Server;
  readonly #agent: TcpServer;

  /** @param options Default: no limit. */
  constructor(options: Options = { limit: 1_000_000 }) {
    this.#limiter = createLimiter({ name: 'app', ...options });
    const limit = concurrencyLimit({ limiter: this.#limiter });
    this.#server = createServer(
      { keepAliveTimeout: 60_000 },
      limit(async (_req, res) => {
        this.handled++;
        await delay(WORK);
        res.end('ok');
      }),
    );
    this.#agent = createTcpServer((socket) => {
      const { inflight, queued, limit } = this.#limiter.stats();
      const free = Math.max(1, Math.round(100 * (1 - (inflight + queued) / (2 * limit))));
      socket.on('error', () => {}).end(`${free}%\n`);
    });
  }

  async listen(): Promise<{ port: number; agentPort: number }> {
    const ports = [this.#server, this.#agent].map(async (server) => {
      await once(server.listen(0, '127.0.0.1'), 'listening');
      return (server.address() as AddressInfo).port;
    });
    const [port = 0, agentPort = 0] = await Promise.all(ports);
    return { port, agentPort };
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
    this.#agent.close();
  }
}
