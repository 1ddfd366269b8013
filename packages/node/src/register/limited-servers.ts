import { EventEmitter } from 'node:events';
import http from 'node:http';
import http2 from 'node:http2';
import https from 'node:https';
import type { Server } from 'node:net';
import { isThenable } from '@headgate/core/http';
import type { ConcurrencyLimit } from '../index.ts';
import type { Message, ResponseTo } from '../message.ts';

type Emit = (this: Server, event: string, ...args: unknown[]) => boolean;

interface Hooks {
  /** The limit of a server, or undefined for a server without one. */
  limitOf(server: Server): ConcurrencyLimit<Message> | undefined;
  /** Called when a server has begun to listen. */
  onListening?(): void;
  /** Responds when a function of the application, such as `key`, has thrown. Default: prints the error, responds with 500. */
  onError?(error: unknown, req: Message, res: ResponseTo<Message>): void;
}

/** The events with a request and a response. A server emits one of them for each request. */
const requestEvents: ReadonlySet<string> = new Set([
  'request',
  'checkContinue',
  'checkExpectation',
]);

/**
 * Limits the requests of all servers of `node:http`, `node:https` and the compatibility API of `node:http2`, whether they
 * exist already or not: replaces the `emit` of their prototypes, as instrumentations for tracing do. Returns a function
 * that restores it.
 */
export function limitServers(hooks: Hooks): () => void {
  const restore = prototypes().map((prototype) => {
    const original = prototype.emit as Emit;
    const isOwn = Object.hasOwn(prototype, 'emit');
    prototype.emit = limited(original, hooks) as typeof prototype.emit;
    return () => {
      if (isOwn) prototype.emit = original as typeof prototype.emit;
      else delete (prototype as Partial<Server>).emit;
    };
  });
  return () => {
    for (const one of restore) one();
  };
}

/** The classes of `node:http2` are not exported. */
function prototypes(): Server[] {
  const ofHttp2 = [http2.createServer(), http2.createSecureServer()].map(Object.getPrototypeOf);
  return [http.Server.prototype, https.Server.prototype, ...ofHttp2];
}

function limited(emit: Emit, hooks: Hooks): Emit {
  const { limitOf, onListening, onError = respondAndPrint } = hooks;
  return function (event, ...args) {
    if (event === 'listening') onListening?.();
    const limit = requestEvents.has(event) ? limitOf(this) : undefined;
    if (limit === undefined) return emit.call(this, event, ...args);
    const [req, res] = args as [Message, ResponseTo<Message>];
    let hasStarted = false;
    let isReported = false;
    const listener = limit(() => {
      hasStarted = true;
      const result = emitted(emit, this, event, args);
      isReported = result !== undefined;
      return result;
    });
    const failed = (error: unknown) => {
      if (!hasStarted) return onError(error, req, res);
      if (isReported) return;
      // As without the limit: an error that a listener throws is an uncaught exception.
      queueMicrotask(() => {
        throw error;
      });
    };
    try {
      Promise.resolve(listener(req, res)).catch(failed);
    } catch (error) {
      failed(error);
    }
    return true;
  };
}

/** Emits an event, and returns what the listeners return if these are promises. `emit` itself drops them. */
function emitted(
  emit: Emit,
  server: Server,
  event: string,
  args: unknown[],
): Promise<unknown> | undefined {
  // Another instrumentation has replaced `emit`.
  if (emit !== EventEmitter.prototype.emit) return void emit.call(server, event, ...args);
  const results = server.rawListeners(event).map((listener) => listener.apply(server, args));
  const promises = results.filter(isThenable).map((result) => Promise.resolve(result));
  for (const promise of promises) promise.catch((error) => rejected(server, error, event, args));
  return promises.length > 1 ? allOf(promises) : promises[0];
}

/** Does what `emit` does if the promise of a listener rejects. */
function rejected(server: Server, error: unknown, event: string, args: unknown[]): void {
  if (!EventEmitter.captureRejections) throw error;
  process.nextTick(() => {
    server[EventEmitter.captureRejectionSymbol]?.(error as Error, event, ...args);
  });
}

/** Settles when all of these promises have settled. Rejects with the first error. */
async function allOf(promises: Promise<unknown>[]): Promise<void> {
  await Promise.allSettled(promises);
  await Promise.all(promises);
}

function respondAndPrint(error: unknown, _req: Message, res: ResponseTo<Message>): void {
  console.error(error);
  if (!res.headersSent) res.writeHead(500).end();
}
