// What the adapter suite uses of node:http, for tests that run in a Worker. Replaces that module in its bundle: a server
// is an app of this Worker, and a request goes to it through a service binding.

import { env } from 'cloudflare:workers';
import { EventEmitter } from 'node:events';
import { Readable } from 'node:stream';

/** A request as a listener of the suite receives it. */
export interface Incoming {
  readonly request: Request;
  readonly headers: Readonly<Record<string, string>>;
}

type App = (incoming: Incoming, context: unknown) => Response | Promise<Response>;

const { SELF } = env as unknown as { SELF: { fetch(request: Request): Promise<Response> } };
const servers = new Map<number, App>();
/** Above the default port of HTTP, which a URL does not show. */
let ports = 1_000;

/** The app that listens on this port. */
export function appAt(port: number): App | undefined {
  return servers.get(port);
}

class Server extends EventEmitter {
  readonly #port = ports++;

  constructor(private readonly app: App) {
    super();
  }

  get listening(): boolean {
    return servers.has(this.#port);
  }

  listen(): void {
    servers.set(this.#port, this.app);
    setTimeout(() => this.emit('listening'), 0);
  }

  address() {
    return { port: this.#port };
  }

  close(closed: () => void): void {
    servers.delete(this.#port);
    closed();
  }
}

interface RequestOptions {
  readonly port: number;
  readonly path: string;
  readonly method?: string;
  readonly headers?: Record<string, string>;
}

class ClientRequest extends EventEmitter {
  readonly #abort = new AbortController();

  constructor(private readonly options: RequestOptions) {
    super();
  }

  end(body?: string | Uint8Array): void {
    void this.#send(body).catch((error: unknown) => this.emit('error', error));
  }

  destroy(): void {
    this.#abort.abort(new Error('aborted'));
  }

  async #send(body: string | Uint8Array | undefined): Promise<void> {
    const { port, path, method = 'GET', headers } = this.options;
    const request = new Request(`http://127.0.0.1:${port}${path}`, {
      method,
      headers: { ...headers },
      ...(body === undefined ? {} : { body: body as string }),
      signal: this.#abort.signal,
      redirect: 'manual',
    });
    const response = await SELF.fetch(request);
    const { status, body: source } = response;
    const readable = source === null ? Readable.from([]) : Readable.fromWeb(source as never);
    readable.on('error', () => {});
    const fields = Object.fromEntries(response.headers);
    this.emit('response', Object.assign(readable, { statusCode: status, headers: fields }));
  }
}

export class Agent {
  destroy(): void {}
}

export default {
  createServer: (app: App) => new Server(app),
  request: (options: RequestOptions) => new ClientRequest(options),
  Agent,
};
