import * as http from 'node:http';
import * as https from 'node:https';
import { outsideRequest, StoreError, within } from '@headgate/store-kit';
import type { Address } from './address.ts';
import { closed, isLate, late, refused, unreachable } from './failure.ts';
import { openStream, type Stream, type StreamReceiver, type Streams } from './stream.ts';

/** Maximum length of an answer in characters: enough for the metrics of a hundred thousand semaphores. */
const MAX_ANSWER_LENGTH = 32_000_000;

/**
 * Maximum idle time of a connection in milliseconds, because gateways and load balancers silently drop idle
 * connections, some after 30 s.
 */
const MAX_IDLE_TIME = 10_000;

export interface TransportOptions {
  readonly address: Address;
  readonly token: string | undefined;
  /** Maximum number of connections; further calls wait for a free one. */
  readonly sockets: number;
}

/** The bounds of a call. */
export interface CallTimes {
  /** Milliseconds. Default: only the signal bounds the call. */
  readonly timeout?: number | undefined;
  /** Aborts the call. The call then rejects with the signal's reason. */
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
  /** Whether the call was sent more than once, so the service may have carried it out before. */
  readonly isRepeated?: boolean;
}

/** Sends calls to the service. */
export interface Caller {
  /** @throws StoreError if no answer comes; the signal's reason if it aborts. */
  call(call: Call, times: CallTimes): Promise<Answer>;
  /** Also aborts the calls that are in flight. */
  close(): void;
}

/** Members of Node's agents that their types do not declare. */
interface Requests {
  addRequest(...args: unknown[]): void;
}

/** Makes the agent open connections outside of any request, since later requests use them too. */
function openOutside(agent: http.Agent): http.Agent {
  const requests = agent as http.Agent & Requests;
  const { addRequest } = requests;
  requests.addRequest = (...args) => outsideRequest(() => addRequest.apply(requests, args));
  return agent;
}

/** A connection pool. Idle connections are reused, and do not keep the process alive. */
export class Transport implements Caller, Streams {
  readonly #agent: http.Agent;
  readonly #request: typeof http.request;
  readonly #target: http.RequestOptions;
  readonly #prefix: string;
  readonly #authorization: http.OutgoingHttpHeaders;
  /** Functions that abort the calls in flight. */
  readonly #aborts = new Set<(error: unknown) => void>();
  #isClosed = false;

  constructor({ address, token, sockets }: TransportOptions) {
    const { isSecure, host, port, socketPath, prefix } = address;
    const { Agent, request } = isSecure ? https : http;
    const settings = { keepAlive: true, maxSockets: sockets, timeout: MAX_IDLE_TIME };
    this.#agent = openOutside(new Agent(settings));
    this.#request = request as typeof http.request;
    this.#target = socketPath === undefined ? { host, port } : { socketPath };
    this.#prefix = prefix;
    this.#authorization = token === undefined ? {} : { authorization: `Bearer ${token}` };
  }

  async call(call: Call, times: CallTimes): Promise<Answer> {
    for (let isRepeated = false; ; isRepeated = true) {
      if (this.#isClosed) throw connectionClosed();
      const answer = await this.#try(call, times);
      // Undefined if the connection ended before the answer: most likely, the server closed an idle connection just as
      // the request was sent. The call is retried, because every call is safe to repeat.
      if (answer !== undefined) return { ...answer, isRepeated };
    }
  }

  stream(path: string, receiver: StreamReceiver): Stream {
    const options = { agent: false, path: this.#prefix + path, headers: this.#authorization };
    const stream = openStream(this.#request({ ...this.#target, ...options }), receiver);
    const close = (isSilent?: boolean) => {
      stream.close();
      if (isSilent) this.#dropIdle();
    };
    return { ...stream, close };
  }

  close(): void {
    this.#isClosed = true;
    for (const abort of this.#aborts) abort(connectionClosed());
    this.#agent.destroy();
  }

  /** Closes idle connections: if one connection has silently died, they may have died too. */
  #dropIdle(): void {
    for (const idle of Object.values(this.#agent.freeSockets)) {
      for (const socket of idle ?? []) socket.destroy();
    }
  }

  /** Resolves to undefined if a reused connection has ended before the answer. */
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
        this.#aborts.delete(fail);
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
      const cancel = timeout === undefined ? () => {} : startTimeout(timeout, giveUp);
      this.#aborts.add(fail);
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

function connectionClosed(): Error {
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
    if (text.length > MAX_ANSWER_LENGTH) {
      throw refused(`the semaphore service answers with more than ${MAX_ANSWER_LENGTH} characters`);
    }
  }
  return text;
}

function isStale({ code }: NodeJS.ErrnoException): boolean {
  return code === 'ECONNRESET' || code === 'EPIPE';
}

/** Calls `giveUp` after `timeout` milliseconds without an answer, unless the returned function was called. */
function startTimeout(timeout: number, giveUp: () => void): () => void {
  let cancel = () => {};
  const cancelled = new Promise<true>((resolve) => {
    cancel = () => resolve(true);
  });
  void within(timeout, () => cancelled).then((isCancelled) => isCancelled ?? giveUp());
  return cancel;
}
