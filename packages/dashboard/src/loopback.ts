import type { PageRequest } from './page-request.ts';

/** Set by proxies: the client of such a request is elsewhere. */
const forwarding = [
  'forwarded',
  'via',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-port',
  'x-forwarded-proto',
  'x-forwarded-server',
  'x-original-forwarded-for',
  'x-real-ip',
  'x-client-ip',
  'x-cluster-client-ip',
  'true-client-ip',
  'cf-connecting-ip',
  'fastly-client-ip',
  'cdn-loop',
];

/**
 * Whether the request comes from this machine and from no proxy. Some proxies add no header by default, and nginx and
 * HAProxy are among them. But all browsers send `Connection: keep-alive`, which concerns only one connection, so that
 * proxies do not pass it on: they send `close`, or nothing. The host must be a loopback name too: another site whose name
 * resolves to 127.0.0.1 could otherwise read the page through its visitor's browser (DNS rebinding).
 */
export function isLoopback(request: PageRequest): boolean {
  if (request.httpVersion === '1.0') return false;
  if (!/^keep-alive$/i.test(request.header('connection') ?? '')) return false;
  if (forwarding.some((name) => request.header(name) !== undefined)) return false;
  return isLoopbackAddress(request.address) && isLoopbackHost(request.header('host') ?? '');
}

function isLoopbackAddress(address = ''): boolean {
  return address === '::1' || /^(::ffff:)?127(\.\d{1,3}){3}$/i.test(address);
}

function isLoopbackHost(host: string): boolean {
  const name = host.replace(/:\d+$/, '').toLowerCase();
  return name === '[::1]' || /^([a-z\d-]+\.)*localhost$/.test(name) || isLoopbackAddress(name);
}
