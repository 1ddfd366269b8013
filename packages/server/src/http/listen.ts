import { once } from 'node:events';
import { access, lstat, rm } from 'node:fs/promises';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { dirname } from 'node:path';
import { getRequestListener } from '@hono/node-server';
import type { Hono } from 'hono';
import type { Log } from '../log.ts';
import { boundConnections, MAX_HEADER_SIZE, type Timeouts, timeouts } from './connections.ts';
import { inTurn } from './in-turn.ts';
import { checkListen, type ListenOptions } from './listen-options.ts';

/** An open port or socket. */
export interface Listener {
  /** `http://127.0.0.1:8000`, or the path of the socket. */
  readonly url: string;
  /** Stops listening. Resolves when all connections have ended. */
  close(): Promise<void>;
}

/** Maximum length of a URL in characters, far above what the protocol needs. */
const MAX_URL_LENGTH = 4_096;

/**
 * Milliseconds after which open connections are destroyed while the server closes. Blocked requests are answered
 * before.
 */
const CLOSE_TIMEOUT = 500;

export async function listen(
  app: Hono,
  options: ListenOptions,
  log: Log,
  /** Tests set shorter ones. */
  timeoutValues: Timeouts = timeouts,
): Promise<Listener> {
  const { place, socket, tls, maxConnections } = checkListen(options);
  const fetch = (request: Request, env: object) =>
    request.url.length > MAX_URL_LENGTH ? tooLong() : app.fetch(request, env);
  // `hostname` serves requests without a Host header: HTTP/1.0, which some health checks speak, does not require one.
  const handle = inTurn(getRequestListener(fetch, { hostname: 'localhost' }) as RequestListener);
  const settings = { maxHeaderSize: MAX_HEADER_SIZE, ...timeoutValues };
  const server: Server =
    tls === undefined
      ? createServer(settings, handle)
      : createTlsServer({ ...settings, ...tls }, handle);
  boundConnections(server, maxConnections, timeoutValues, log);
  const open = new Set<Socket>();
  server.on('connection', (connection: Socket) => {
    open.add(connection);
    connection.once('close', () => open.delete(connection));
  });
  if (socket !== undefined) await removeStale(socket);
  server.listen(place);
  await once(server, 'listening');
  // A connection that could not be accepted, for lack of memory or file descriptors, must not stop the server.
  server.on('error', (error) => log.error(`A connection was not accepted: ${error.message}`));
  const bound = server.address() as AddressInfo | string;
  const url = typeof bound === 'string' ? bound : urlOf(bound, tls !== undefined);
  return { url, close: () => close(server, open) };
}

function tooLong(): Response {
  return new Response(`The URL must not exceed ${MAX_URL_LENGTH} characters.`, { status: 414 });
}

function urlOf({ address, port, family }: AddressInfo, isTls: boolean): string {
  const host = family === 'IPv6' ? `[${address}]` : address;
  return `${isTls ? 'https' : 'http'}://${host}:${port}`;
}

/**
 * Removes the socket file that a killed process has left behind, after checking that no process accepts connections on
 * it.
 */
async function removeStale(path: string): Promise<void> {
  // Fails with ENOENT if the folder is missing, for which `listen` would report EACCES.
  await access(dirname(path));
  const isSocket = await lstat(path).then(
    (stats) => stats.isSocket(),
    () => false,
  );
  // A file that is not a socket is left alone.
  if (!isSocket) return;
  const connection = connect(path);
  const error: NodeJS.ErrnoException | undefined = await once(connection, 'connect').then(
    () => undefined,
    (reason) => reason,
  );
  connection.destroy();
  if (error?.code === 'ECONNREFUSED') await rm(path);
}

async function close(server: Server, open: ReadonlySet<Socket>): Promise<void> {
  // `closeAllConnections()` misses connections that have not sent any HTTP yet.
  const end = () => {
    for (const connection of open) connection.destroy();
  };
  const timer = setTimeout(end, CLOSE_TIMEOUT);
  const closed = once(server, 'close');
  server.close();
  await closed;
  clearTimeout(timer);
}
