import { Agent, request } from 'node:http';
import type { Arrival } from './arrivals.ts';

/** The clients' timeout in milliseconds. */
export const clientTimeout = 1_000;

/** The outcome of a request: `refused` by a 503; `late` if the client gave up; `failed` otherwise. */
export type Result = 'answered' | 'refused' | 'late' | 'failed';

/** A sent request and its outcome. */
export interface Attempt extends Arrival {
  result: Result;
  /** Milliseconds from its due time to its end. */
  took: number;
  /** The generator's lateness in milliseconds. */
  lateness: number;
}

/** The target of the clients, and their use of connections. */
export interface Route {
  port: number;
  /** Default: `/`. */
  path?: string;
  /**
   * Whether each request opens a new connection, like requests of different clients. Otherwise requests share
   * connections like those of a proxy: an idle one is reused, and if there is none, a new one is opened.
   */
  ownConnections: boolean;
}

export class Clients {
  readonly #agent: Agent;
  readonly #port: number;
  readonly #path: string;

  constructor({ port, path = '/', ownConnections }: Route) {
    this.#port = port;
    this.#path = path;
    this.#agent = new Agent({
      keepAlive: !ownConnections,
      maxFreeSockets: Number.POSITIVE_INFINITY,
      scheduling: 'lifo',
    });
  }

  /** Never rejects. A client that gives up closes its connection, as browsers and HTTP clients with timeouts do. */
  send(headers: Record<string, string>, wait = clientTimeout): Promise<Result> {
    return new Promise((resolve) => {
      const settle = (result: Result) => {
        clearTimeout(timer);
        resolve(result);
      };
      const target = { host: '127.0.0.1', port: this.#port, path: this.#path };
      const outgoing = request({ ...target, agent: this.#agent, headers }, (response) => {
        response.resume();
        response.on('end', () => settle(resultOf(response.statusCode)));
        response.on('error', () => settle('failed'));
      });
      outgoing.on('error', () => settle('failed'));
      const timer = setTimeout(() => {
        settle('late');
        outgoing.destroy();
      }, wait);
      outgoing.end();
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}

function resultOf(status: number | undefined): Result {
  if (status === 200) return 'answered';
  return status === 503 ? 'refused' : 'failed';
}
