import { builtin, onBun, onDeno } from '../runtime.ts';
import type { NodeSocket } from './node-message.ts';

interface ClientSocket extends NodeSocket {
  readonly connecting: boolean;
  once(event: 'connect', listener: () => void): unknown;
}

interface ClientRequest {
  readonly socket?: ClientSocket | null;
  readonly res?: object | null;
  once(event: 'socket' | 'close', listener: (socket: ClientSocket) => void): unknown;
}

type Listener = (message: { request: ClientRequest; socket: ClientSocket }) => void;

/** A request of this process to its own machine. */
interface Call<C> {
  /** The context of the code that has made it. Undefined if there is none, or if the server may read another one. */
  context: C | undefined;
  socket?: ClientSocket;
  connection?: string;
}

/** The members of an `AsyncLocalStorage` that are used here. */
interface Contexts<C> {
  run<R>(context: C, work: () => R): R;
  getStore(): C | undefined;
}

/** Only Node's own clients report which request they send over which connection. */
function ofNode<Module>(name: string): Module | undefined {
  return onBun || onDeno ? undefined : builtin<Module>(name);
}

/** Names an open connection within its machine. Node writes an IPv4 address in two ways. */
function nameOf(address: string, clientPort?: number, serverPort?: number): string {
  return `${address.replace('::ffff:', '')} ${clientPort} ${serverPort}`;
}

/**
 * Shows in which context this process has called itself. The two ends of a connection, as Node's diagnostics channels
 * show them, connect a call to the request that a server reads. Nothing is added to it, since a client could add it too.
 */
export class OwnCalls<C> {
  /** Defined from the first call on, since a context for each request costs CPU time. */
  contexts: Contexts<C> | undefined;
  readonly #created = new WeakMap<ClientRequest, Call<C>>();
  /** The latest call over each connection, until it has been read or answered. */
  readonly #sent = new Map<string, Call<C>>();

  constructor() {
    const channels = ofNode<{ subscribe(name: string, listener: Listener): void }>(
      'node:diagnostics_channel',
    );
    const create = ({ request }: { request: ClientRequest }) => {
      const call: Call<C> = { context: this.contexts?.getStore() };
      this.#created.set(request, call);
      return call;
    };
    const answered: Listener = ({ request }) => this.#answered(this.#created.get(request));
    channels?.subscribe('undici:request:create', create);
    channels?.subscribe('undici:request:headers', answered);
    channels?.subscribe('undici:request:error', answered);
    channels?.subscribe('undici:client:sendHeaders', ({ request, socket }) =>
      this.#send(this.#created.get(request), socket),
    );
    channels?.subscribe('http.client.request.start', ({ request }) => {
      const call = create({ request });
      const send = (socket: ClientSocket) => {
        if (socket.connecting) socket.once('connect', () => this.#send(call, socket));
        else this.#send(call, socket);
      };
      // This channel reports the end of a request, to which the server may have responded before.
      if (!request.res) request.socket ? send(request.socket) : request.once('socket', send);
      request.once('close', () => this.#answered(call));
    });
  }

  /** The context of a call that reaches a server of this process without a connection, as by `app.inject()`. */
  current(): C | undefined {
    const hooks = ofNode<{ AsyncLocalStorage: new () => Contexts<C> }>('node:async_hooks');
    this.contexts ??= hooks && new hooks.AsyncLocalStorage();
    return this.contexts?.getStore();
  }

  /** The context of the call that a server has just read from this connection, if that is certain. */
  readFrom({ remoteAddress = '', remotePort, localPort }: NodeSocket): C | undefined {
    if (this.#sent.size === 0) return undefined;
    const connection = nameOf(remoteAddress, remotePort, localPort);
    const call = this.#sent.get(connection);
    if (call?.socket?.destroyed !== false) return undefined;
    this.current();
    if (call.context !== undefined) this.#sent.delete(connection);
    return call.context;
  }

  #send(call: Call<C> | undefined, socket: ClientSocket): void {
    // undici sends a request again if its connection was reset.
    this.#answered(call);
    const { localAddress, localPort, remoteAddress, remotePort } = socket;
    if (call === undefined || localAddress === undefined || localAddress !== remoteAddress) return;
    call.socket = socket;
    call.connection = nameOf(localAddress, localPort, remotePort);
    // If requests are pipelined, the server may read an earlier one next.
    if (this.#sent.has(call.connection)) call.context = undefined;
    this.#sent.set(call.connection, call);
  }

  #answered(call: Call<C> | undefined): void {
    if (call?.connection === undefined || this.#sent.get(call.connection) !== call) return;
    this.#sent.delete(call.connection);
  }
}
