import type { Clock } from '../clock.ts';
import { inNextIteration } from '../outside-request.ts';
import { onBun, onDeno } from '../runtime.ts';
import { Exchange, ownCalls } from './exchange.ts';
import type { NodeRequest, NodeResponse, NodeSocket } from './node-message.ts';
import { afterCalls, beforeCalls, whenRead } from './observed-calls.ts';
import { readAhead } from './read-ahead.ts';
import { rejectUpload } from './rejected-upload.ts';

const exchangeKey = Symbol('headgate.exchange');

/** A `close` listener that links to its exchange, so that other middleware can find it. */
type Closed = (() => void) & { [exchangeKey]?: NodeExchange };

/**
 * Whether the runtime sets `errored` on `destroy`. Detected on an open response: `errored` is null in Node, and
 * undefined in other runtimes.
 */
let errorReportsDestroy = false;

/**
 * Responses that were destroyed by the app, or whose request was. Only used on Deno, where `errored` does not show it.
 */
const destroyedByApp = new WeakSet<NodeResponse>();

/**
 * Whether an adapter caches exchanges on other objects than the response. Only then must the response's listeners be
 * searched for the exchange.
 */
let areKeptElsewhere = false;

/** For each connection: the exchanges whose pipelined responses wait for earlier responses. */
const pipelined = new WeakMap<NodeSocket, Set<NodeExchange>>();

/** An exchange of a Node server. */
export class NodeExchange extends Exchange {
  /** Created only after a disconnect, since one list per request would cost measurable time. */
  #whenDone: (() => void)[] | undefined;
  /** Number of listeners for the end of the request in front of the limit, such as those of loggers. */
  #listenersInFront = 0;
  #listenersOfFramework = 0;

  private constructor(
    private readonly request: NodeRequest,
    private readonly response: NodeResponse,
  ) {
    super();
  }

  /**
   * Returns the same exchange to every middleware of a request.
   *
   * @param slot An object of the request, on which the exchange is cached. If another middleware passes another object,
   * the lookup is slower. Default: the response.
   */
  static of(request: NodeRequest, response: NodeResponse, slot: object = response): NodeExchange {
    const kept = slot as { [exchangeKey]?: NodeExchange };
    const known = kept[exchangeKey];
    // The app may pass the same object for all its requests.
    if (known !== undefined && (slot === response || known.response === response)) return known;
    areKeptElsewhere ||= slot !== response;
    const found = areKeptElsewhere ? listening(response) : undefined;
    const exchange = found ?? new NodeExchange(request, response);
    kept[exchangeKey] = exchange;
    return exchange;
  }

  /**
   * Whether Node's HTTP server sends the response, in which case `close` follows `finish` at once. Other hosts, such as
   * adapters for AWS Lambda and mocks in tests, may emit only `finish`, or nothing.
   */
  get isServed(): boolean {
    const { request } = this;
    return request.httpVersionMajor > 1 || request.socket?.server != null;
  }

  get gone(): boolean {
    const { request, response } = this;
    if (request.httpVersionMajor > 1) return response.stream?.destroyed === true;
    return response.destroyed === true || request.socket?.destroyed === true;
  }

  /** True for an upgraded connection, whose response is never written. */
  get headersSent(): boolean {
    return this.response.headersSent || this.request.upgrade === true;
  }

  override get hasFailed(): boolean {
    return this.response.statusCode >= 400;
  }

  override findCaller(): Exchange['caller'] {
    if (!this.isServed) return super.findCaller();
    const { socket, httpVersionMajor } = this.request;
    // Over HTTP/2, the two ends of a connection do not show which of its requests this is.
    return socket === null || httpVersionMajor > 1 ? undefined : ownCalls.readFrom(socket);
  }

  override get awaitsBody(): boolean {
    const { request } = this;
    // Mocks may lack stream methods.
    if (!this.isServed) return false;
    const isReading = request.readableFlowing === true || request.listenerCount('readable') > 0;
    return isReading && request.readableLength === 0 && !request.complete && !request.readableEnded;
  }

  override whenBodyBegins(callback: () => void): void {
    beforeCalls(this.response, ['write', 'end'], callback);
  }

  override whenBodyEnds(callback: () => void): void {
    this.request.prependListener('end', callback);
  }

  override queued(answered: Promise<void>): void {
    if (this.isServed) readAhead(this.request, answered);
  }

  /**
   * Listens to the response's `close`, since the request's `close` comes while a POST handler still runs, and `finish`
   * does not come after an abort. `close` is always emitted, with one exception: a pipelined response has no socket
   * before its turn, and emits nothing if the connection breaks.
   */
  protected listen(): void {
    const { request, response } = this;
    const { socket } = request;
    const isServed = this.isServed;
    const isPipelined = isServed && response.socket === null && socket !== null;
    if (isPipelined) this.#listenTo(socket);
    const closed: Closed = () => this.#onClose();
    closed[exchangeKey] = this;
    response.on('close', closed);
    errorReportsDestroy ||= response.errored === null;
    // Bun sets the `errored` of a request only if something listens for its errors.
    if (onBun) request.on('error', () => {});
    if (onDeno) this.#watchDestroy();
    if (request.httpVersionMajor > 1 && request.method === 'HEAD') this.#watchStream();
    if (!isServed) return this.#watchHost();
    this.#listenersInFront = request.listenerCount('close') + request.listenerCount('aborted');
    if (isPipelined) this.#watchEnd();
  }

  /** Watches all events and calls that may end the response, since hosts other than Node's server differ in them. */
  #watchHost(): void {
    const { response } = this;
    response.on('finish', () => this.ended('complete'));
    response.on('error', (error) => {
      this.ended('truncated');
      // Throws the error, as an EventEmitter does without an error listener.
      if (response.listenerCount('error') === 1) throw error;
    });
    afterCalls(response, ['end', 'destroy'], () => {
      if (response.writableFinished) this.ended('complete');
      else if (response.destroyed) this.ended('truncated');
    });
  }

  /** Over HTTP/2, the response to a HEAD request emits no `close` if its stream is reset before the response ends. */
  #watchStream(): void {
    const { response } = this;
    response.stream?.on('close', () => {
      if (!response.writableEnded) this.ended(response.headersSent ? 'truncated' : 'unanswered');
    });
  }

  /** Uses one listener per connection for all its pipelined exchanges, since Node warns of many listeners. */
  #listenTo(socket: NodeSocket): void {
    const known = pipelined.get(socket);
    const exchanges = known ?? new Set<NodeExchange>();
    exchanges.add(this);
    this.response.on('close', () => exchanges.delete(this));
    if (known !== undefined) return;
    pipelined.set(socket, exchanges);
    socket.on('close', () => {
      for (const exchange of exchanges) exchange.#onClose();
    });
  }

  /**
   * Notices when a pipelined response is written or destroyed before its turn, and counts it as sent or closed.
   * Otherwise an earlier request of the same connection could wait for its permit forever.
   */
  #watchEnd(): void {
    const { response } = this;
    afterCalls(response, ['end', 'destroy'], () => {
      if (response.socket !== null) return;
      if (response.writableEnded) this.ended('complete');
      else if (response.destroyed) this.#onClose();
    });
  }

  #watchDestroy(): void {
    const { request, response } = this;
    const destroyed = (error?: { readonly code?: string }) => {
      // After a disconnect, the server itself destroys the request with this error.
      if (error?.code !== 'ECONNRESET') destroyedByApp.add(response);
    };
    beforeCalls(request, ['destroy'], destroyed);
    beforeCalls(response, ['destroy'], destroyed);
  }

  #onClose(): void {
    const { headersSent, writableFinished, stream } = this.response;
    // HTTP/2 reports a response as finished if its stream was reset before anything was written.
    const finished = writableFinished && stream?.aborted !== true;
    this.ended(finished ? 'complete' : headersSent ? 'truncated' : 'unanswered');
  }

  override get seemsToStop(): boolean {
    const { request, response } = this;
    if (this.headersSent || this.#readsBody) return true;
    // Over HTTP/2, the response to a HEAD request emits no `close` if its stream is reset.
    if (request.httpVersionMajor > 1 && request.method === 'HEAD') return false;
    // Emitted at a disconnect only if the body has not been read to its end.
    const listens = request.listenerCount('close') + request.listenerCount('aborted');
    if (listens > this.#listenersInFront && !request.readableEnded) return true;
    const listeners = response.listeners('close');
    const own = listeners.findIndex((listener) => exchangeKey in listener);
    return own + this.#listenersOfFramework < listeners.length - 1;
  }

  /** Runs code of the framework, whose listeners for the end of the response do not count as those of the handler. */
  listenAsFramework<T>(listen: () => T): T {
    const { response } = this;
    const before = response.listenerCount('close');
    const result = listen();
    this.#listenersOfFramework += response.listenerCount('close') - before;
    return result;
  }

  /** Whether the handler reads a body that will never be complete. */
  get #readsBody(): boolean {
    const { request } = this;
    const reads = request.listenerCount('data') + request.listenerCount('readable') > 0;
    return reads && request.complete === false;
  }

  override whenDone(callback: () => void): void {
    const { request, response } = this;
    // The response of an upgraded connection is never written: the handler is done when the connection has closed.
    const isDone = response.writableEnded || request.upgrade === true;
    // If a stream is piped to the response, its `unpipe` listener is still registered during this `close` event.
    if (isDone || this.#isDestroyed || response.listenerCount('unpipe') > 0) return callback();
    this.#whenDone ??= this.#watchHandler();
    this.#whenDone.push(callback);
  }

  /** Whether the app itself has destroyed the request or response, as `pipeline` does when a stream fails. */
  get #isDestroyed(): boolean {
    const { request, response } = this;
    if (onDeno) return destroyedByApp.has(response);
    if (!errorReportsDestroy || request.httpVersionMajor > 1) return false;
    // Node 24 destroys a pipelined response with this error if the connection breaks before its turn.
    const isOfServer = response.socket === null && response.errored?.code === 'ECONNRESET';
    if (response.errored !== null && !isOfServer) return true;
    // After a disconnect, Node destroys the request with this error, unless it has been read to its end.
    return request.destroyed && !request.readableEnded && request.errored?.code !== 'ECONNRESET';
  }

  override whenHandedOver(callback: () => void): void {
    const { response } = this;
    // If a stream is piped to the response, its `unpipe` listener is still registered during this `close` event.
    if (response.writableEnded || response.listenerCount('unpipe') > 0) return callback();
    response.on('newListener', (event) => {
      if (event === 'unpipe') callback();
    });
  }

  override rejected(hangUp: boolean, clock: Clock): void {
    const { response, request } = this;
    if (hangUp && response.shouldKeepAlive === true) response.shouldKeepAlive = false;
    if (request.upgrade === true) this.#closeUpgraded();
    rejectUpload(request, response, clock);
  }

  /**
   * Closes the connection of a rejected upgrade. Nothing reads it, so Node would not notice that its client has left.
   */
  #closeUpgraded(): void {
    this.response.prependListener('finish', () => this.request.socket?.destroy());
  }

  override whenDisconnectRead(callback: () => void): void {
    const { request, response } = this;
    const { socket, httpVersionMajor } = request;
    // Later, since loggers read it when the response closes, and Fastify when the promise of a handler then settles.
    queueMicrotask(() => {
      whenRead(response, ['destroyed', 'closed'], callback);
      whenRead(request, ['destroyed'], callback);
      if (socket !== null && httpVersionMajor === 1) whenRead(socket, ['destroyed'], callback);
    });
    inNextIteration(() => whenRead(request, ['aborted'], callback));
  }

  /** Watches method calls, since a closed response emits no events. */
  #watchHandler(): (() => void)[] {
    const { request, response } = this;
    const callbacks: (() => void)[] = [];
    const done = () => {
      for (const callback of callbacks.splice(0)) callback();
    };
    beforeCalls(response, ['end', 'destroy'], done);
    beforeCalls(request, ['destroy'], done);
    // `pipe` and `pipeline` do not write to a closed response, but listen to it.
    response.on('newListener', (event) => {
      if (event === 'unpipe') done();
    });
    return callbacks;
  }
}

/** The exchange that listens for the end of this response. */
function listening(response: NodeResponse): NodeExchange | undefined {
  if (response.listenerCount('close') === 0) return undefined;
  for (const listener of response.listeners('close')) {
    const exchange = (listener as Closed)[exchangeKey];
    if (exchange !== undefined) return exchange;
  }
  return undefined;
}
