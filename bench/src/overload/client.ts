import { Agent, request } from 'node:http';
import type { Arrival } from './arrivals.ts';

/** Milliseconds after which a client gives up. */
export const patience = 1_000;

/** What became of a request: `refused` by a 503; `late` where the client gave up; `failed` is anything else. */
export type Result = 'answered' | 'refused' | 'late' | 'failed';

/** A request that was sent, and what became of it. */
export interface Attempt extends Arrival {
  result: Result;
  /** Milliseconds from when it was to be sent until its end. */
  took: number;
  /** Milliseconds by which the generator sent it late. */
  lateness: number;
}

/** Where clients send to, and how. */
export interface Route {
  port: number;
  /**
   * Whether each request comes on a new connection, as when each is another client's. Otherwise they share connections as
   * those behind a proxy do: a free one is used again, and where none is a new one is made at once.
   */
  ownConnections: boolean;
}

export class Clients {
  readonly #agent: Agent;
  readonly #port: number;

  constructor({ port, ownConnections }: Route) {
    this.#port = port;
    this.#agent = new Agent({
      keepAlive: !ownConnections,
      maxFreeSockets: Number.POSITIVE_INFINITY,
      scheduling: 'lifo',
    });
  }

  /** Resolves always. Who gives up closes the connection, as browsers and timeouts of HTTP clients do. */
  send(path: string, headers: Record<string, string>, wait = patience): Promise<Result> {
    return new Promise((resolve) => {
      const settle = (result: Result) => {
        clearTimeout(timer);
        resolve(result);
      };
      const options = { agent: this.#agent, host: '127.0.0.1', port: this.#port, path, headers };
      const outgoing = request(options, (response) => {
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
