import { invalid } from '@headgate/core/options';

/** A request for the page or its data, independent of the framework. */
export interface PageRequest {
  readonly method: string;
  /** The path below the mount point, without its leading slash. */
  readonly file: string;
  /**
   * The last segment of the mount point, if the request has no slash after it. The request is then redirected to the
   * page.
   */
  readonly withoutSlash: string | undefined;
  /** Decoded parameter of the query string. */
  query(name: string): string | undefined;
  /** By a name in lower case. */
  header(name: string): string | undefined;
  /** Whether a proxy may have read a different host in the request. */
  readonly isAmbiguous: boolean;
  /** The body as text, or parsed if other middleware has done that. */
  body(): Promise<unknown>;
}

/** A request as Node has received it. */
interface RawRequest {
  readonly url?: string | undefined;
  readonly rawHeaders?: readonly string[];
}

/** Whether a request has a host in its target, or several `Host` fields, of which Node reads the first. */
export function isAmbiguous({ url = '/', rawHeaders = [] }: RawRequest): boolean {
  const hosts = rawHeaders.filter((name, i) => i % 2 === 0 && name.toLowerCase() === 'host');
  return hosts.length > 1 || !url.startsWith('/');
}

/** Checks the option `path`: where the page is, in frameworks that do not mount handlers themselves. */
export function checkPath(path: string): string {
  if (typeof path === 'string' && /^(\/[^/]+)+$/.test(path)) {
    // Refuses a path that no request can have, since clients encode it: one with a query or a space, for instance.
    if (new URL(path, 'http://localhost').pathname === path) return path;
  }
  throw invalid('path', 'a path such as "/admin/limits"', path);
}

/** Whether a path is the mount point or below it. */
export function isBelow(path: string, mount: string): boolean {
  return path === mount || path.startsWith(`${mount}/`);
}

/** Splits a request's target at the mount point, which has `depth` segments. */
export function locate(path: string, depth: number): Pick<PageRequest, 'file' | 'withoutSlash'> {
  const segments = path.split('/').slice(1);
  const isMount = segments.length <= depth;
  return {
    file: segments.slice(depth).join('/'),
    withoutSlash: isMount ? segments.at(-1) : undefined,
  };
}

/** The receiver of the messages of a stream. */
export interface Sink {
  write(text: string): void;
  /** Bytes that the client has not accepted yet. */
  readonly pending: number;
  end(): void;
  /** Closes the connection without waiting for pending bytes. */
  destroy(): void;
}

export interface PageResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /**
   * A text, or a stream: a function that receives where to send messages. It returns a function that must be called
   * when the client has disconnected.
   */
  readonly body: string | ((sink: Sink) => () => void);
}

/** A short answer for people. */
export function plain(
  status: number,
  text: string,
  headers: Readonly<Record<string, string>> = {},
): PageResponse {
  const type = 'text/plain; charset=utf-8';
  return { status, headers: { ...headers, 'Content-Type': type }, body: `${text}\n` };
}
