import { EventEmitter } from 'node:events';
import type { Server } from 'node:net';
import { isThenable } from '@headgate/core/http';
import { appOf } from './app-listeners.ts';

export type Emit = (this: Server, event: string, ...args: unknown[]) => boolean;
// biome-ignore lint/complexity/noBannedTypes: as Node declares it
type Listener = Function;

/** The event of one request. Calls its listeners as `emit` does, but returns the promises, which `emit` drops. */
export class Emission {
  /** Whether the app has been called. */
  hasRun = false;
  /** Whether the app returned a promise. This class then reports its rejection. */
  isAsync = false;
  private notified: readonly Listener[] | undefined = undefined;

  constructor(
    private readonly emit: Emit,
    private readonly server: Server,
    private readonly event: string,
    private readonly args: unknown[],
  ) {}

  /**
   * Calls the listeners that only observe requests, such as those of metrics and graceful shutdown: the request is
   * queued or will be rejected. Does nothing if it is unknown which listener is the app, and the second time.
   */
  notifyObservers(): void {
    const { emit, server, event, notified } = this;
    if (emit !== EventEmitter.prototype.emit || notified !== undefined) return;
    const listeners = server.rawListeners(event);
    const app = listeners.indexOf(appOf(server) as never);
    if (app === -1) return;
    this.notified = listeners.toSpliced(app, 1);
    for (const listener of this.notified) this.call(listener);
  }

  /** Calls the listeners that have not been called. Returns the app's promise, if it returns one. */
  run(): Promise<unknown> | undefined {
    const { emit, server, event, args, notified } = this;
    this.hasRun = true;
    // Another instrumentation has replaced `emit`.
    if (emit !== EventEmitter.prototype.emit) return void emit.call(server, event, ...args);
    const all = server.rawListeners(event);
    const listeners = notified === undefined ? all : all.filter((each) => !notified.includes(each));
    const work =
      listeners.length === 1 ? this.call(listeners[0] as Listener) : this.callAll(listeners);
    this.isAsync = work !== undefined;
    return work;
  }

  private callAll(listeners: readonly Listener[]): Promise<unknown> | undefined {
    const results = listeners.map((listener) => this.call(listener));
    const app = listeners.indexOf(appOf(this.server) as never);
    return app === -1 ? allOf(results) : results[app];
  }

  private call(listener: Listener): Promise<unknown> | undefined {
    const result = listener.apply(this.server, this.args);
    if (!isThenable(result)) return undefined;
    const promise = Promise.resolve(result);
    promise.catch((error) => this.rejected(error));
    return promise;
  }

  /** Does what `emit` does if the promise of a listener rejects. */
  private rejected(error: unknown): void {
    const { server, event, args } = this;
    if (!EventEmitter.captureRejections) throw error;
    process.nextTick(() => {
      server[EventEmitter.captureRejectionSymbol]?.(error as Error, event, ...args);
    });
  }
}

/** Settles when all of these promises have settled, and rejects with the first error. Undefined without promises. */
function allOf(results: (Promise<unknown> | undefined)[]): Promise<unknown> | undefined {
  const promises = results.filter((result) => result !== undefined);
  if (promises.length < 2) return promises[0];
  return Promise.allSettled(promises).then(() => Promise.all(promises));
}
