import http from 'node:http';
import https from 'node:https';
import type { Server } from 'node:net';

type Listener = (...args: unknown[]) => unknown;
type On = (this: HttpServer, event: string | symbol, listener: Listener) => HttpServer;
type HttpServer = Server & { readonly timeout?: number };

/** The app of each server that was created with a `request` listener. */
const apps = new WeakMap<Server, unknown>();

/**
 * The `request` listener that is the app of a server: the one with which the server was created, or which has replaced
 * it, as Socket.IO does. Undefined if the server was created without a listener: any of them may be the app then.
 */
export function appOf(server: Server): unknown {
  return apps.get(server);
}

/** Observes the servers of HTTP/1 that are created from now on. Returns a function that stops this. */
export function watchApps(): () => void {
  // Without this property, nothing shows whether a constructor is still at work: see isApp.
  if (http.createServer().timeout === undefined) return () => {};
  const restore = [http.Server.prototype, https.Server.prototype].map(watch);
  return () => {
    for (const one of restore) one();
  };
}

function watch(prototype: Server): () => void {
  const original = prototype.on as On;
  const on: On = function (event, listener) {
    if (event === 'request' && isApp(this)) apps.set(this, listener);
    return original.call(this, event, listener);
  };
  Object.assign(prototype, { on, addListener: on });
  return () => {
    for (const name of ['on', 'addListener'] as const) delete (prototype as Partial<Server>)[name];
  };
}

/** Whether the listener that is added to this server is its app. */
function isApp(server: HttpServer): boolean {
  if (server.listenerCount('request') > 0) return false;
  // Constructors add their listener before they set `timeout`.
  return server.timeout === undefined || apps.has(server);
}
