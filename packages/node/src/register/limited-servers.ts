import http from 'node:http';
import http2 from 'node:http2';
import https from 'node:https';
import type { Server } from 'node:net';
import { isThenable } from '@headgate/core/http';
import type { ConcurrencyLimit } from '../index.ts';
import type { LimitedListener } from '../limited-listener.ts';
import type { Message, ResponseTo } from '../message.ts';
import { watchApps } from './app-listeners.ts';
import { Emission, type Emit } from './emission.ts';

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
  const stopWatching = watchApps();
  return () => {
    stopWatching();
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
    const emission = new Emission(emit, this, event, args);
    // They may set header fields, or respond.
    const beforeRejection = () => {
      emission.notifyObservers();
      return res.headersSent || res.writableEnded;
    };
    const around = limit as LimitedListener<Message>['around'];
    const listener = around(() => emission.run(), beforeRejection);
    const failed = (error: unknown) => {
      if (!emission.hasRun) onError(error, req, res);
      else if (!emission.isAsync) throwLater(error);
    };
    try {
      const work = listener(req, res);
      if (isThenable(work)) work.then(undefined, failed);
    } catch (error) {
      failed(error);
    }
    if (!emission.hasRun) emission.notifyObservers();
    return true;
  };
}

/** Throws an error of a listener as an uncaught exception, as it is without the limit. */
function throwLater(error: unknown): void {
  queueMicrotask(() => {
    throw error;
  });
}

function respondAndPrint(error: unknown, _req: Message, res: ResponseTo<Message>): void {
  console.error(error);
  if (!res.headersSent) res.writeHead(500).end();
}
