import * as http from 'node:http';
import * as https from 'node:https';
import { StoreError } from '@headgate/core/shared';
import type { Address } from './address.ts';
import { closed, isLate, late, refused, unreachable } from './failure.ts';

/** The figures of a hundred thousand semaphores; more is no answer of the service. */
const longestAnswer = 32_000_000;

/** Milliseconds that a connection is kept idle: gateways and balancers forget idle ones, some after half a minute. */
const longestIdle = 10_000;

export interface TransportOptions {
  readonly address: Address;
  readonly token: string | undefined;
  /** How many connections there are at most; who asks for more waits for one. */
  readonly sockets: number;
}

/** How long a call may take. */
export interface CallTimes {
  /** Milliseconds. Default: as long as the signal lets it. */
  readonly timeout?: number | undefined;
  /** Ends it sooner, with its reason. */
  readonly signal?: AbortSignal | undefined;
}

export interface Call {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  /** JSON. */
  readonly body?: string | undefined;
}

export interface Answer {
  readonly status: number;
  readonly text: string;
}

/** Carries calls to the service. */
export interface Caller {
  /** @throws StoreError where no answer comes; else what the signal says. */
  call(call: Call, times: CallTimes): Promise<Answer>;
  /** Ends calls that are under way, too. */
  close(): void;
}

/** Connections to the service that are kept for the next call. Idle ones keep no process alive. */
export class Transport implements Caller {
  readonly #agent: http.Agent;
  readonly #request: typeof http.request;
  readonly #target: http.RequestOptions;
  readonly #prefix: string;
  readonly #authorization: http.OutgoingHttpHeaders;
  /** End the calls that are under way. */
  readonly #ends = new Set<(error: unknown) => void>();
  #isClosed = false;

  constructor({ address, token, sockets }: TransportOptions) {
    const { isSecure, host, port, socketPath, prefix } = address;
    const { Agent, request } = isSecure ? https : http;
    this.#agent = new Agent({ keepAlive: true, maxSockets: sockets, timeout: longestIdle });
    this.#request = request as typeof http.request;
    this.#target = socketPath === undefined ? { host, port } : { socketPath };
    this.#prefix = prefix;
    this.#authorization = token === undefined ? {} : { authorization: `Bearer ${token}` };
  }

  async call(call: Call, times: CallTimes): Promise<Answer> {
    for (;;) {
      if (this.#isClosed) throw isClosed();
      const answer = await this.#try(call, times);
      // The server has closed an idle connection as the request left. Every call is safe to repeat.
      if (answer !== undefined) return answer;
    }
  }

  close(): void {
    this.#isClosed = true;
    for (const end of this.#ends) end(isClosed());
    this.#agent.destroy();
  }

  /** Where one connection has died without a word, those beside it may have, too. */
  #dropIdle(): void {
    for (const idle of Object.values(this.#agent.freeSockets)) {
      for (const socket of idle ?? []) socket.destroy();
    }
  }

  /** Undefined where the connection was not there any more. */
  #try({ method, path, body }: Call, { timeout, signal }: CallTimes): Promise<Answer | undefined> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const request = this.#request({
        ...this.#target,
        ...{ agent: this.#agent, method, path: this.#prefix + path },
        headers: headersOf(body, this.#authorization),
      });
      const end = () => {
        cancel();
        signal?.removeEventListener('abort', abort);
        this.#ends.delete(fail);
      };
      const fail = (error: unknown) => {
        end();
        reject(error);
        request.destroy();
      };
      const abort = () => {
        fail(signal?.reason);
        if (isLate(signal?.reason)) this.#dropIdle();
      };
      const giveUp = () => {
        fail(late());
        this.#dropIdle();
      };
      const cancel = timeout === undefined ? () => {} : afterAll(timeout, giveUp);
      this.#ends.add(fail);
      request.on('error', (error: NodeJS.ErrnoException) => {
        if (!request.reusedSocket || !isStale(error)) return fail(unreachable(error));
        end();
        resolve(undefined);
      });
      request.on('response', (response) => {
        const { statusCode: status = 0 } = response;
        const done = (text: string) => {
          end();
          resolve({ status, text });
        };
        read(response).then(done, (error) =>
          fail(error instanceof StoreError ? error : unreachable(error)),
        );
      });
      signal?.addEventListener('abort', abort, { once: true });
      request.end(body);
    });
  }
}

function isClosed(): Error {
  return closed('the connection to the semaphore service');
}

function headersOf(
  body: string | undefined,
  authorization: http.OutgoingHttpHeaders,
): http.OutgoingHttpHeaders {
  if (body === undefined) return authorization;
  const length = Buffer.byteLength(body);
  return { ...authorization, 'content-type': 'application/json', 'content-length': length };
}

async function read(response: http.IncomingMessage): Promise<string> {
  let text = '';
  response.setEncoding('utf8');
  for await (const chunk of response) {
    text += chunk;
    if (text.length > longestAnswer) {
      throw refused(`the semaphore service answers with more than ${longestAnswer} characters`);
    }
  }
  return text;
}

function isStale({ code }: NodeJS.ErrnoException): boolean {
  return code === 'ECONNRESET' || code === 'EPIPE';
}

/**
 * A timeout of those who wait for an answer: while the event loop was busy nothing was sent and no answer read. That
 * time does not count, once. Returns what cancels it.
 */
export function afterAll(timeout: number, callback: () => void): () => void {
  const due = performance.now() + timeout;
  let timer = setTimeout(() => {
    const lost = performance.now() - due;
    timer = setTimeout(callback, Math.min(lost, timeout));
  }, timeout);
  return () => clearTimeout(timer);
}
