import { once } from 'node:events';
import http, { type RequestListener } from 'node:http';
import http2 from 'node:http2';
import type { AddressInfo, Server } from 'node:net';
import type { Duplex } from 'node:stream';
import { expect, it } from 'vitest';
import type { FrameworkDriver, Step, SuiteApp, SuiteLimit, SuiteOptions } from '../framework.ts';
import { Call, type CallOptions } from './call.ts';
import { RawSocket } from './raw-socket.ts';
import { aRound, counts } from './until.ts';

/** A running server with an app, and clients for it. */
export class Running {
  readonly #errors: unknown[] = [];
  #errorsRead = 0;
  /** The server's sockets of all connections made so far. */
  readonly sockets: Duplex[] = [];
  server!: Server;

  /**
   * Errors that have reached the framework's error handling. The test fails if there is an error that it has not read
   * here.
   */
  get errors(): readonly unknown[] {
    this.#errorsRead = Math.max(this.#errorsRead, this.#errors.length);
    return [...this.#errors];
  }

  /** For tests whose error reaches the error handling only in some frameworks. */
  ignoreErrors(): void {
    this.#errorsRead = Number.POSITIVE_INFINITY;
  }

  /** Errors that the test has not read. */
  get unexpectedErrors(): readonly unknown[] {
    return this.#errors.slice(this.#errorsRead);
  }

  addError(error: unknown): void {
    this.#errors.push(error);
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  call(path = '/', options: CallOptions = {}): Call {
    return new Call(this.port, path, options);
  }

  raw(): RawSocket {
    return new RawSocket(this.port);
  }
}

const UNEXPECTED_ERRORS =
  "errors reached the framework's error handling; a test that causes them must read `errors`";

/** Waits until the limit has neither permits nor queued requests. */
async function idle(limit: Pick<SuiteLimit, 'holders' | 'queued'>): Promise<void> {
  try {
    await counts(limit, 0, 0);
  } catch (cause) {
    const { holders, queued } = limit;
    const message = `after the test, a permit is not released or a request is still queued: ${holders} held, ${queued} queued`;
    throw new Error(message, { cause });
  }
}

/** The objects that one test creates. The suite checks and cleans them up afterwards. */
export class World {
  readonly #limits: Pick<SuiteLimit, 'holders' | 'queued'>[] = [];
  readonly #running: Running[] = [];
  readonly #cleanups: (() => unknown)[] = [];

  constructor(readonly framework: FrameworkDriver) {}

  /** Whether the adapter sees connections, and the messages of a Node server. */
  get seesConnections(): boolean {
    return this.framework.can.seesConnections !== false;
  }

  /** Defines a test that applies only to such adapters. */
  itSeesConnections(name: string, define: () => Promise<void>): void {
    if (this.seesConnections) it(name, define);
  }

  limit(options: SuiteOptions): SuiteLimit {
    const limit = this.framework.limit(options);
    this.#limits.push(limit);
    return limit;
  }

  /** Makes the suite check after the test that nothing is in flight or queued here. */
  watch<L extends Pick<SuiteLimit, 'holders' | 'queued'>>(limit: L): L {
    this.#limits.push(limit);
    return limit;
  }

  /** Calls back after the test. */
  later(clear: () => unknown): void {
    this.#cleanups.push(clear);
  }

  serve(...steps: Step[]): Promise<Running> {
    const { framework } = this;
    return this.#start(
      steps,
      (app) => framework.server?.(app) ?? http.createServer(framework.listener(app)),
    );
  }

  serveHttp2(...steps: Step[]): Promise<Running> {
    return this.#start(steps, (app) => http2.createServer(this.framework.listener(app) as never));
  }

  /** Wraps the listener, to run code before the framework does. */
  serveThrough(wrap: (listener: RequestListener) => RequestListener, ...steps: Step[]) {
    return this.#start(steps, (app) => http.createServer(wrap(this.framework.listener(app))));
  }

  async quiet(): Promise<void> {
    for (const limit of this.#limits) await idle(limit);
    // An error may reach the framework's error handling after the last response.
    await aRound();
    for (const { unexpectedErrors } of this.#running)
      expect(unexpectedErrors, UNEXPECTED_ERRORS).toEqual([]);
  }

  async clear(): Promise<void> {
    for (const { server, sockets } of this.#running.splice(0)) {
      for (const socket of sockets) socket.destroy();
      if (server.listening) await new Promise((resolve) => server.close(resolve));
    }
    for (const clear of this.#cleanups.splice(0)) await clear();
    this.#limits.length = 0;
  }

  async #start(steps: readonly Step[], create: (app: SuiteApp) => Server) {
    const running = new Running();
    const onError = (error: unknown) => running.addError(error);
    running.server = create({ steps, onError });
    this.#running.push(running);
    running.server.on('connection', (socket) => running.sockets.push(socket));
    running.server.listen(0, '127.0.0.1');
    await once(running.server, 'listening');
    return running;
  }
}
