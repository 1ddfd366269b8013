import { checkText, invalid, invalidSecret } from '@headgate/core/options';

/** The service's address, in the form that Node's `http.request` takes. */
export interface Address {
  readonly isSecure: boolean;
  readonly host: string | undefined;
  readonly port: string | undefined;
  readonly socketPath: string | undefined;
  /** Prepended to the path of every request. */
  readonly prefix: string;
}

const expected = 'http://host:port, https://host:port or unix:/path/of/a/socket';
const unix = 'unix:';

/**
 * Parses the service's URL.
 *
 * @throws HeadgateError for any other URL, and for one with a user or a password.
 */
export function addressFrom(url: unknown): Address {
  const text = checkText('url', url);
  if (text.startsWith(unix)) return ofSocket(text.slice(unix.length));
  // It may contain a password.
  const unfit = text.includes('@')
    ? invalidSecret('url', expected)
    : invalid('url', expected, text);
  if (!URL.canParse(text)) throw unfit;
  const { protocol, hostname, port, pathname, username, password } = new URL(text);
  // The error does not show the credentials.
  if (username + password !== '') throw invalidSecret('url', 'without a user');
  if (protocol !== 'http:' && protocol !== 'https:') throw unfit;
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
