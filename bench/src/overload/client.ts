import { Agent, request } from 'node:http';
import type { Arrival } from './arrivals.ts';

/** Milliseconds after which a client gives up. */
export const patience = 1_000;

/** The outcome of a request: `refused`: a 503; `late`: the client gave up; `failed`: anything else. */
export type Result = 'answered' | 'refused' | 'late' | 'failed';

/** A request that was sent, and its outcome. */
export interface Attempt extends Arrival {
  result: Result;
  /** Milliseconds from its scheduled time to its end. */
  took: number;
  /** How many milliseconds late the generator sent it. */
  lateness: number;
}

/** Where and how clients send. */
export interface Route {
  port: number;
  /**
   * Whether each request uses a new connection, like those of separate clients. Otherwise requests share connections,
   * as behind a proxy: a free one is reused, and if there is none, a new one is opened.
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

  /** Never rejects. A client that gives up closes its connection, like browsers and HTTP clients with timeouts. */
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
