import { type Clock, startTimer } from '../clock.ts';
import { Client } from './client.ts';
import type { NodeRequest, NodeResponse, NodeSocket } from './node-message.ts';
import { rejectUpload } from './rejected-upload.ts';

const own = Symbol('headgate.client');

/** The listener of a client, which knows whose it is. */
type Closed = (() => void) & { [own]?: NodeClient };

/** Whether `errored` tells of `destroy`, as in Node: null at first. */
let tellsOfDestroy = false;

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
    const known = kept[own];
    // The app may keep one object for all its requests.
    if (known !== undefined && (slot === response || known.response === response)) return known;
    const client =
      (slot === response ? undefined : listening(response)) ?? new NodeClient(request, response);
    kept[own] = client;
    return client;
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
    tellsOfDestroy ||= response.errored === null;
    const { socket } = request;
    if (response.socket !== null || socket === null) return;
    this.#listenTo(socket);
    this.#watchEnd();
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

  /**
   * A pipelined response that is written or destroyed before its turn has come counts as sent or closed: an earlier
   * request of the connection may be waiting for its permit.
   */
  #watchEnd(): void {
    const { response } = this;
    for (const name of ['end', 'destroy'] as const) {
      const original = response[name];
      response[name] = (...args: unknown[]) => {
        const result = original.apply(response, args);
        if (response.socket !== null) return result;
        if (response.writableEnded) this.ended('complete');
        else if (response.destroyed) this.#onClose();
        return result;
      };
    }
  }

  #onClose(): void {
    const { headersSent, writableFinished, stream } = this.response;
    // HTTP/2 takes a response for finished whose stream was reset before anything was written.
    const finished = writableFinished && stream?.aborted !== true;
    this.ended(finished ? 'complete' : headersSent ? 'truncated' : 'unanswered');
  }

  whenTouched(callback: () => void, clock: Clock, after: number): void {
    if (this.#isDestroyed || this.#isForwarded) return callback();
    const touched = () => {
      cancel();
      awaited.delete(touched);
      callback();
    };
    const cancel = startTimer(clock, after, touched, true);
    const awaited = this.#whenTouched ?? this.#watchTouches();
    awaited.add(touched);
  }

  /** The app has destroyed the request or the response itself, as `pipeline` does when a stream fails. */
  get #isDestroyed(): boolean {
    const { request, response } = this;
    if (!tellsOfDestroy) return false;
    if (response.errored !== null) return true;
    // Where the client has left, Node destroys the request with this error, unless it has been read to its end.
    return request.destroyed && !request.readableEnded && request.errored?.code !== 'ECONNRESET';
  }

  /**
   * A reverse proxy has sent the request on, and listens for the end of the response in order to abort what it has sent.
   * Only a proxy reads a request without a body to its end, or a body that no parser has asked for.
   */
  get #isForwarded(): boolean {
    const { request, response } = this;
    return (
      request.readableEnded && request.body === undefined && response.listenerCount('close') > 1
    );
  }

  rejected(hangUp: boolean, clock: Clock): void {
    const { response, request } = this;
    if (hangUp && response.shouldKeepAlive === true) response.shouldKeepAlive = false;
    rejectUpload(request, response, clock);
  }

  #watchTouches(): Set<() => void> {
    const { request, response } = this;
    const awaited = new Set<() => void>();
    this.#whenTouched = awaited;
    const touched = () => {
      for (const each of awaited) each();
    };
    watch(response, ['writeHead', 'write', 'end', 'destroy'], touched);
    watch(request, ['destroy'], touched);
    // `pipeline` does not write to a response that is closed, but listens for its end.
    response.on('newListener', touched);
    return awaited;
  }
}

/** Calls back before each call of one of these methods. */
function watch<T extends object>(target: T, methods: readonly (keyof T)[], callback: () => void) {
  for (const name of methods) {
    const original = target[name] as (...args: unknown[]) => unknown;
    target[name] = ((...args: unknown[]) => {
      callback();
      return original.apply(target, args);
    }) as T[keyof T];
  }
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
