import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { Pipe } from './pipe.ts';
import { freePort } from './ports.ts';
import { RequestCounter } from './request-counter.ts';

/** Number of bytes of each client that are kept, by which connections are distinguished. */
const MAX_INSPECTED_BYTES = 4_096;

interface Connection {
  /** The first bytes that the client has sent. */
  sent: string;
  readonly client: Socket;
  readonly server: Socket;
  readonly pipes: readonly Pipe[];
  /** Latency of each direction in milliseconds. */
  delay: number;
}

/** A proxy in front of a server on 127.0.0.1, which can disturb connections, and counts requests. */
export class FaultyProxy {
  readonly port: number;
  readonly #server: Server;
  readonly #target: { readonly port: number };
  readonly #open = new Set<Connection>();
  #requests = 0;
  #delayOfNext = () => 0;
  #held = false;
  #refusing = false;

  static async start(target: { readonly port: number }): Promise<FaultyProxy> {
    const port = await freePort();
    const server = createServer({ noDelay: true });
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    return new FaultyProxy(server, port, target);
  }

  private constructor(server: Server, port: number, target: { readonly port: number }) {
    this.#server = server;
    this.port = port;
    this.#target = target;
    server.on('connection', (client) => this.#accept(client));
  }

  /** Requests seen from clients: each array on the wire is one. */
  get commands(): number {
    return this.#requests;
  }

  /** Number of clients that are connected now. */
  get connections(): number {
    return [...this.#open].filter(({ client }) => !client.closed).length;
  }

  /** Resets all connections. */
  cut(): void {
    for (const connection of this.#open) reset(connection);
    this.#open.clear();
  }

  /** Resets new connections immediately. */
  refuse(on: boolean): void {
    this.#refusing = on;
  }

  /** Resets all connections, and new ones until the returned function is called, like a server that restarts. */
  away(): () => void {
    this.refuse(true);
    this.cut();
    return () => this.refuse(false);
  }

  /** Sets the latency of each direction in milliseconds, from now on. */
  delay(ms: number): void {
    this.delayEach(() => ms);
  }

  /** Sets a separate latency for each connection, so that data on one connection can overtake data on another. */
  delayEach(choose: () => number): void {
    this.#delayOfNext = choose;
    for (const connection of this.#open) connection.delay = choose();
  }

  /**
   * Makes connections half-open: holds back data and ends, without notifying either side. When the returned function is
   * called, everything continues.
   */
  hold(on: boolean): void {
    this.#held = on;
    for (const { pipes } of this.#open) for (const pipe of pipes) pipe.hold(on);
  }

  /**
   * Makes connections half-open forever, if their client has sent this text (ignoring case). Returns how many there
   * are.
   */
  holdOnly(text: string): number {
    const found = this.#those(text);
    for (const { pipes } of found) for (const pipe of pipes) pipe.hold(true);
    return found.length;
  }

  /** Makes one connection half-open. `choose` returns its index. Returns a function that resets both ends. */
  holdOne(choose: (count: number) => number): () => void {
    const open = this.#those('');
    const one = open[choose(open.length)];
    for (const pipe of one?.pipes ?? []) pipe.hold(true);
    return () => {
      if (one !== undefined) reset(one);
    };
  }

  /**
   * Ends connections at the server, and hides that from their clients. If `text` is given, only ends connections whose
   * client has sent it.
   */
  endAtServer(text = ''): number {
    const found = this.#those(text);
    for (const { server, pipes } of found) {
      for (const pipe of pipes) pipe.hold(true);
      server.resetAndDestroy();
    }
    return found.length;
  }

  #those(text: string): Connection[] {
    return [...this.#open].filter(
      ({ sent, client, server }) =>
        !client.closed && !server.closed && sent.toLowerCase().includes(text.toLowerCase()),
    );
  }

  async stop(): Promise<void> {
    this.cut();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #accept(client: Socket): void {
    client.on('error', () => {});
    if (this.#refusing) {
      client.resetAndDestroy();
      return;
    }
    const server = connect({ port: this.#target.port, host: '127.0.0.1', noDelay: true });
    const counter = new RequestCounter();
    const count = (chunk: Buffer) => {
      this.#requests += counter.read(chunk);
      if (connection.sent.length < MAX_INSPECTED_BYTES) connection.sent += chunk.toString('latin1');
    };
    const late = () => connection.delay;
    const pipes = [new Pipe(client, server, late, count), new Pipe(server, client, late, () => {})];
    for (const pipe of pipes) pipe.hold(this.#held);
    const connection: Connection = { sent: '', client, server, pipes, delay: this.#delayOfNext() };
    this.#open.add(connection);
    // While data is held back, one end may close without the other one noticing.
    const forget = () => {
      if (client.closed && server.closed) this.#open.delete(connection);
    };
    client.on('close', forget);
    server.on('close', forget);
  }
}

function reset({ client, server }: Connection): void {
  // A socket that has ended cannot be reset: Node would keep its handle and spin forever on exit.
  if (client.writableEnded) client.destroy();
  else client.resetAndDestroy();
  server.destroy();
}

/** The port is read for each connection, because the target may move. */
export function startProxy(target: { readonly port: number }): Promise<FaultyProxy> {
  return FaultyProxy.start(target);
}
