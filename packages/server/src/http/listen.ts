import { once } from 'node:events';
import { access, lstat, rm } from 'node:fs/promises';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { dirname } from 'node:path';
import { checkCount, checkNames, checkText, invalid } from '@headgate/core/shared';
import { getRequestListener } from '@hono/node-server';
import type { Hono } from 'hono';
import type { Log } from '../log.ts';
import { boundConnections, maxHeaderSize, type Timeouts, timeouts } from './connections.ts';
import { inTurn } from './in-turn.ts';

export interface ListenOptions {
  /** Default: 127.0.0.1, which only this machine can reach. */
  readonly address?: string | undefined;
  /** Default: 8000; 0 is any that is free. */
  readonly port?: number | undefined;
  /** The path of a unix socket, in place of an address and a port. */
  readonly socket?: string | undefined;
  /** Serves HTTPS: the certificate and its key, as PEM. */
  readonly tls?: { readonly cert: string | Buffer; readonly key: string | Buffer } | undefined;
  /** How many connections there may be at once; more are closed without an answer. Default: 20,000. */
  readonly maxConnections?: number | undefined;
}

const names = ['address', 'port', 'socket', 'tls', 'maxConnections'];

/** An open port or socket. */
export interface Listener {
  /** `http://127.0.0.1:8000`, or the path of the socket. */
  readonly url: string;
  close(): Promise<void>;
}

/** Characters; what is in the way of nobody but who tries what happens. */
const maxUrl = 4_096;

/** Bytes of a socket's path that the system takes. */
const longestPath = process.platform === 'linux' ? 107 : 103;

/** Milliseconds that a request which is not blocked has to end, while the server closes. */
const patience = 500;

export async function listen(
  app: Hono,
  options: ListenOptions,
  log: Log,
  /** For tests, which do not wait for the usual ones. */
  bounds: Timeouts = timeouts,
): Promise<Listener> {
  checkNames('listen', options, names);
  const { address = '127.0.0.1', port = 8_000, socket, tls, maxConnections = 20_000 } = options;
  const fetch = (request: Request, env: object) =>
    request.url.length > maxUrl ? tooLong() : app.fetch(request, env);
  // `hostname` is for requests that name no host: HTTP/1.0, as some health checks speak it, does not require one.
  const handle = inTurn(getRequestListener(fetch, { hostname: 'localhost' }) as RequestListener);
  const settings = { maxHeaderSize, ...bounds };
  const server: Server =
    tls === undefined
      ? createServer(settings, handle)
      : createTlsServer({ ...settings, ...tls }, handle);
  boundConnections(server, checkCount('maxConnections', maxConnections, 1), bounds, log);
  const open = new Set<Socket>();
  server.on('connection', (connection: Socket) => {
    open.add(connection);
    connection.once('close', () => open.delete(connection));
  });
  const place =
    socket === undefined
      ? { host: checkText('address', address), port }
      : { path: checkSocket(socket) };
  if (socket !== undefined) await removeStale(socket);
  server.listen(place);
  await once(server, 'listening');
  // One that could not be accepted, for want of memory or of a file descriptor, is no reason to end.
  server.on('error', (error) => log.error(`A connection was not accepted: ${error.message}`));
  const bound = server.address() as AddressInfo | string;
  const url = typeof bound === 'string' ? bound : urlOf(bound, tls !== undefined);
  return { url, close: () => close(server, open) };
}

/** A longer path would be cut off without a word: nobody would find the socket. */
function checkSocket(path: string): string {
  if (Buffer.byteLength(checkText('socket', path)) <= longestPath) return path;
  throw invalid('socket', `a path of at most ${longestPath} bytes`, path);
}

function tooLong(): Response {
  return new Response(`A URL has at most ${maxUrl} characters.`, { status: 414 });
}

function urlOf({ address, port, family }: AddressInfo, isTls: boolean): string {
  const host = family === 'IPv6' ? `[${address}]` : address;
  return `${isTls ? 'https' : 'http'}://${host}:${port}`;
}

/** The socket of a process that was killed is still there, and nobody answers. */
async function removeStale(path: string): Promise<void> {
  // Node would say that access is denied.
  await access(dirname(path));
  const isSocket = await lstat(path).then(
    (stats) => stats.isSocket(),
    () => false,
  );
  // Nothing else is taken out of the way.
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
  // Node's own way leaves those out that have not come to HTTP.
  const end = () => {
    for (const connection of open) connection.destroy();
  };
  const timer = setTimeout(end, patience);
  const closed = once(server, 'close');
  server.close();
  await closed;
  clearTimeout(timer);
}
