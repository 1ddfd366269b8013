import { checkText, invalid } from '@headgate/core/shared';

/** Where the service is, as Node's `http.request` takes it. */
export interface Address {
  readonly isSecure: boolean;
  readonly host: string | undefined;
  readonly port: string | undefined;
  readonly socketPath: string | undefined;
  /** What the path of every request begins with. */
  readonly prefix: string;
}

const expected = 'http://host:port, https://host:port or unix:/path/of/a/socket';
const unix = 'unix:';

/** @throws HeadgateError where it is none that the service could have. */
export function addressFrom(url: unknown): Address {
  const text = checkText('url', url);
  if (text.startsWith(unix)) return ofSocket(text.slice(unix.length));
  if (!URL.canParse(text)) throw invalid('url', expected, text);
  const { protocol, hostname, port, pathname, username, password } = new URL(text);
  if (protocol !== 'http:' && protocol !== 'https:') throw invalid('url', expected, text);
  // They are not shown.
  if (username + password !== '') throw invalid('url', 'without a user', undefined);
  return {
    isSecure: protocol === 'https:',
    host: hostname.replace(/^\[|\]$/g, ''),
    port: port === '' ? undefined : port,
    socketPath: undefined,
    prefix: pathname.replace(/\/+$/, ''),
  };
}

function ofSocket(path: string): Address {
  const socketPath = path.replace(/^\/\/(?=\/)/, '');
  if (!socketPath.startsWith('/')) throw invalid('url', expected, `${unix}${path}`);
  return { isSecure: false, host: undefined, port: undefined, socketPath, prefix: '' };
}
