import { type Clock, startTimer } from '../clock.ts';
import { Client } from './client.ts';

/** What is used of Node's requests, of HTTP/1 and HTTP/2. */
export interface NodeRequest {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly readableDidRead: boolean;
  /** All of its body has come. */
  readonly complete: boolean;
  readonly httpVersionMajor: number;
  readonly socket: NodeSocket | null;
  on(event: 'data', listener: (chunk: { length: number }) => void): unknown;
  pause(): unknown;
  resume(): unknown;
}

interface NodeSocket {
  readonly destroyed: boolean;
  on(event: 'close', listener: () => void): unknown;
  destroy(): unknown;
}

/** What is used of Node's responses, of HTTP/1 and HTTP/2. */
export interface NodeResponse {
  readonly headersSent: boolean;
  readonly writableFinished: boolean;
  readonly destroyed?: boolean;
  readonly socket: unknown;
  readonly stream?: { readonly destroyed: boolean; readonly aborted: boolean };
  shouldKeepAlive?: boolean;
  // biome-ignore lint/suspicious/noExplicitAny: three methods of many overloads, passed through as they are
  write: any;
  // biome-ignore lint/suspicious/noExplicitAny: as above
  end: any;
  // biome-ignore lint/suspicious/noExplicitAny: as above
  writeHead: any;
  on(event: 'close', listener: () => void): unknown;
  listenerCount(event: 'close'): number;
  // biome-ignore lint/complexity/noBannedTypes: as Node declares it
  listeners(event: 'close'): Function[];
  prependListener(event: 'finish', listener: () => void): unknown;
}

/** Bytes. */
const mostDrained = 64 * 1024;
/** Milliseconds. */
const lingering = 1000;

const own = Symbol('headgate.client');

/** The listener of a client, which knows whose it is. */
type Closed = (() => void) & { [own]?: NodeClient };

/** By connection, those whose requests wait for the answers to earlier ones. */
const pipelined = new WeakMap<NodeSocket, Set<NodeClient>>();

/** A client of a Node server. */
export class NodeClient extends Client {
  /** Made only where a client has gone: one for each request would be felt. */
  #whenTouched: Set<() => void> | undefined;

  private constructor(
    private readonly request: NodeRequest,
    private readonly response: NodeResponse,
  ) {
    super();
  }

  /**
   * The same for every middleware of the request.
   *
   * @param slot Where to keep it: an object of the request's own; should it be replaced, so much the slower. Default:
   *   the response.
   */
  static of(request: NodeRequest, response: NodeResponse, slot: object = response): NodeClient {
    const kept = slot as { [own]?: NodeClient };
    kept[own] ??=
      (slot === response ? undefined : listening(response)) ?? new NodeClient(request, response);
    return kept[own];
  }

  get gone(): boolean {
    const { request, response } = this;
    if (request.httpVersionMajor > 1) return response.stream?.destroyed === true;
    return response.destroyed === true || request.socket?.destroyed === true;
  }

  /**
   * `close` on the response is the one event that always comes: on a POST, the request's comes while the handler
   * still works, and `finish` does not come after an abort. But a pipelined response whose turn has not come has
   * no socket yet, and never emits it where the connection breaks before.
   */
  protected listen(): void {
    const { request, response } = this;
    const closed: Closed = () => this.#onClose();
    closed[own] = this;
    response.on('close', closed);
    const { socket } = request;
    if (response.socket === null && socket !== null) this.#listenTo(socket);
  }

  /** One listener of a connection for all whose turn has not come: Node warns of many. */
  #listenTo(socket: NodeSocket): void {
    const known = pipelined.get(socket);
    const clients = known ?? new Set<NodeClient>();
    clients.add(this);
    this.response.on('close', () => clients.delete(this));
    if (known !== undefined) return;
    pipelined.set(socket, clients);
    socket.on('close', () => {
      for (const client of clients) client.#onClose();
    });
  }

  #onClose(): void {
    const { headersSent, writableFinished, stream } = this.response;
    // HTTP/2 takes a response for finished whose stream was reset before anything was written.
    const finished = writableFinished && stream?.aborted !== true;
    this.ended(finished ? 'complete' : headersSent ? 'truncated' : 'unanswered');
  }

  whenTouched(callback: () => void, clock: Clock, after: number): void {
    const touched = () => {
      cancel();
      awaited.delete(touched);
      callback();
    };
    const cancel = startTimer(clock, after, touched, true);
    const awaited = this.#whenTouched ?? this.#watchTouches();
    awaited.add(touched);
  }

  rejected(hangUp: boolean, clock: Clock): void {
    const { response, request } = this;
    if (hangUp && response.shouldKeepAlive === true) response.shouldKeepAlive = false;
    // Before Node's own listener, which would drain the whole of a body that nobody has read.
    if (hasBody(request)) response.prependListener('finish', () => this.#discardBody(clock));
  }

  #watchTouches(): Set<() => void> {
    const { response } = this;
    const awaited = new Set<() => void>();
    this.#whenTouched = awaited;
    for (const name of ['writeHead', 'write', 'end'] as const) {
      const original = response[name];
      response[name] = (...args: unknown[]) => {
        for (const touched of awaited) touched();
        return original.apply(response, args);
      };
    }
    return awaited;
  }

  /**
   * A body that nobody will read is drained up to a bound; past it the connection is closed, a moment after the
   * answer so that the client sees that.
   */
  #discardBody(clock: Clock): void {
    const { request, response } = this;
    const { socket } = request;
    // HTTP/2 has a flow control of its own.
    if (request.readableDidRead || socket === null || response.stream !== undefined) return;
    let left = mostDrained;
    request.on('data', ({ length }) => {
      left -= length;
      if (left >= 0 || request.complete) return;
      request.pause();
      startTimer(clock, lingering, () => endUpload(request, socket), true);
    });
    // Or Node would drain all of it, since nobody seems to read it.
    request.resume();
  }
}

/** What was in Node's hands already may have been all: then the connection serves the next request. */
function endUpload(request: NodeRequest, socket: NodeSocket): void {
  if (request.complete) request.resume();
  else socket.destroy();
}

/** The client that listens for the end of this response. */
function listening(response: NodeResponse): NodeClient | undefined {
  if (response.listenerCount('close') === 0) return undefined;
  for (const listener of response.listeners('close')) {
    const client = (listener as Closed)[own];
    if (client !== undefined) return client;
  }
  return undefined;
}

function hasBody({ headers }: NodeRequest): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length']) > 0;
}
