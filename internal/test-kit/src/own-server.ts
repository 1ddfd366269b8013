import { EventEmitter } from 'node:events';
import type { AddressInfo, Server } from 'node:net';

type Fetch = (request: Request, ...rest: never[]) => Response | Promise<Response>;

/** What is used of Bun and of Deno. */
interface Runtime {
  readonly Bun?: {
    serve(options: { port: number; hostname: string; idleTimeout: number; fetch: Fetch }): {
      readonly port: number;
      stop(closesConnections: boolean): Promise<void>;
    };
  };
  readonly Deno?: {
    serve(
      options: {
        port: number;
        hostname: string;
        onListen(): void;
        onError(error: unknown): Response;
      },
      fetch: Fetch,
    ): { readonly addr: { readonly port: number }; shutdown(): Promise<void> };
  };
}

const { Bun, Deno } = globalThis as Runtime;

/** The server of this runtime, in the shape of Node's. */
class OwnServer extends EventEmitter {
  #port = 0;
  #stop: (() => Promise<unknown>) | undefined;

  constructor(private readonly fetch: Fetch) {
    super();
  }

  get listening(): boolean {
    return this.#stop !== undefined;
  }

  address(): Pick<AddressInfo, 'port'> {
    return { port: this.#port };
  }

  listen(port: number, hostname: string): void {
    const { fetch } = this;
    if (Bun !== undefined) {
      const server = Bun.serve({ port, hostname, idleTimeout: 0, fetch });
      this.#port = server.port;
      this.#stop = () => server.stop(true);
    } else if (Deno !== undefined) {
      const options = { port, hostname, onListen: () => {}, onError: internalError };
      const server = Deno.serve(options, fetch);
      this.#port = server.addr.port;
      this.#stop = () => server.shutdown();
    }
    queueMicrotask(() => this.emit('listening'));
  }

  close(closed: () => void): void {
    const stop = this.#stop;
    this.#stop = undefined;
    // Deno waits for connections of clients that the test has not closed.
    stop?.().catch(() => {});
    closed();
  }
}

const internalError = () => new Response('Internal Server Error', { status: 500 });

export function ownServer(fetch: Fetch): Server {
  return new OwnServer(fetch) as unknown as Server;
}

/** The name of this runtime's server. */
export const serverName = Bun === undefined ? 'Deno.serve' : 'Bun.serve';
