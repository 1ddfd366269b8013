import { lookup } from 'node:dns';
import http from 'node:http';
import https, { type RequestOptions } from 'node:https';
import type { LookupFunction } from 'node:net';

/** `answered`: a complete 2xx; `rejected`: 503 or 429; `gaveUp`: the client has closed the connection; `failed`: the rest. */
export type Outcome = 'answered' | 'rejected' | 'gaveUp' | 'failed';

/** What is requested. `protocol` is `http:` unless set. */
export interface Call extends RequestOptions {
  readonly body?: string | Uint8Array | undefined;
}

export interface Answer {
  readonly outcome: Outcome;
  /** 0 without an answer. */
  readonly status: number;
  readonly location?: string | undefined;
}

/**
 * Clients of a server. They share connections like those of a proxy: an idle one is reused, and if there is none, a new
 * one is opened.
 */
export class Clients {
  readonly #agents: { [protocol: string]: http.Agent };

  /** @param options.ownConnections Whether each request opens a new connection, like requests of different clients. */
  constructor({ ownConnections = false } = {}) {
    const agent = {
      keepAlive: !ownConnections,
      maxFreeSockets: Number.POSITIVE_INFINITY,
      scheduling: 'lifo',
      lookup: lookupQuickly,
    } as const;
    this.#agents = { 'http:': new http.Agent(agent), 'https:': new https.Agent(agent) };
  }

  /** Never rejects. A client that gives up closes its connection, as browsers and HTTP clients with timeouts do. */
  send({ body, ...call }: Call, timeout: number): Promise<Answer> {
    return new Promise((resolve) => {
      const protocol = call.protocol ?? 'http:';
      let status = 0;
      let location: string | undefined;
      const settle = (outcome: Outcome) => {
        clearTimeout(timer);
        resolve({ outcome, status, location });
      };
      const { request } = protocol === 'https:' ? https : http;
      const outgoing = request({ ...call, agent: this.#agents[protocol] }, (response) => {
        status = response.statusCode ?? 0;
        location = response.headers.location;
        response.on('end', () => settle(outcomeOf(status)));
        response.on('error', () => settle('failed'));
        response.resume();
      });
      outgoing.on('error', () => settle('failed'));
      const timer = setTimeout(() => {
        settle('gaveUp');
        outgoing.destroy();
      }, timeout);
      outgoing.end(body);
    });
  }

  close(): void {
    for (const agent of Object.values(this.#agents)) agent.destroy();
  }
}

const LOOPBACK = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
];

/** Connections to `localhost` do not wait for the threads that resolve names. */
const lookupQuickly: LookupFunction = (hostname, options, callback) => {
  if (hostname === 'localhost' && options.all) callback(null, LOOPBACK);
  else lookup(hostname, options, callback);
};

function outcomeOf(status: number): Outcome {
  if (status >= 200 && status < 300) return 'answered';
  return status === 503 || status === 429 ? 'rejected' : 'failed';
}
