import { checkCount, checkNames, checkText, invalid, invalidSecret } from '@headgate/core/options';

export interface ListenOptions {
  /** Default: 127.0.0.1, which is reachable from this machine only. */
  readonly address?: string | undefined;
  /** Default: 8000; 0 picks a free port. */
  readonly port?: number | undefined;
  /** The path of a unix socket, instead of an address and a port. */
  readonly socket?: string | undefined;
  /** Serves HTTPS with this certificate and key, both as PEM. */
  readonly tls?: { readonly cert: string | Buffer; readonly key: string | Buffer } | undefined;
  /** Maximum number of open connections; further ones are closed without an answer. Default: 20,000. */
  readonly maxConnections?: number | undefined;
}

const names = ['address', 'port', 'socket', 'tls', 'maxConnections'];

export const MAX_PORT = 65_535;

/** Maximum length of a socket's path in bytes, as the operating system defines it. */
const MAX_SOCKET_PATH = process.platform === 'linux' ? 107 : 103;

/**
 * Checks the options, and adds the defaults.
 *
 * @throws HeadgateError for an unknown or invalid option, and for an address or a port next to a socket.
 */
export function checkListen(options: ListenOptions) {
  checkNames('listen', options, names);
  const { socket, tls, maxConnections = 20_000 } = options;
  if (tls !== undefined) checkTls(tls);
  checkCount('maxConnections', maxConnections, 1);
  return { socket, tls, maxConnections, place: placeFrom(options) };
}

/** Where to listen, as `net.Server.listen` takes it. */
function placeFrom({ address, port, socket }: ListenOptions) {
  if (socket === undefined) {
    return { host: checkText('address', address ?? '127.0.0.1'), port: checkPort(port ?? 8_000) };
  }
  const path = checkSocket(socket);
  if (address !== undefined) throw invalid('address', 'omitted with a socket', address);
  if (port !== undefined) throw invalid('port', 'omitted with a socket', port);
  return { path };
}

function checkPort(port: number): number {
  if (Number.isInteger(port) && port >= 0 && port <= MAX_PORT) return port;
  throw invalid('port', `a whole number from 0 to ${MAX_PORT}`, port);
}

/** The system would silently truncate a longer path, and clients would not find the socket. */
function checkSocket(path: string): string {
  if (Buffer.byteLength(checkText('socket', path)) <= MAX_SOCKET_PATH) return path;
  throw invalid('socket', `a path of at most ${MAX_SOCKET_PATH} bytes`, path);
}

/**
 * Checked first: with an invalid certificate, the server would start and then fail each handshake. The errors do not
 * show the key.
 */
function checkTls(tls: NonNullable<ListenOptions['tls']>): void {
  if (typeof tls !== 'object') throw invalidSecret('tls', 'an object with cert and key');
  checkNames('tls', tls, ['cert', 'key']);
  for (const name of ['cert', 'key'] as const) {
    const pem = tls[name];
    const isText = typeof pem === 'string' || Buffer.isBuffer(pem);
    if (isText && pem.length > 0) continue;
    throw invalidSecret(`tls.${name}`, 'PEM, as a string or a Buffer');
  }
}
