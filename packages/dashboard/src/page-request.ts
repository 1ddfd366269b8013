import { invalid } from '@headgate/core/options';

/** A request for the page or its data, independent of the framework. */
export interface PageRequest {
  readonly method: string;
  /** The path below the mount point, without its leading slash. */
  readonly file: string;
  /** The last segment of the mount point if the request has no slash after it; the page is then redirected to. */
  readonly withoutSlash: string | undefined;
  /** Decoded parameter of the query string. */
  query(name: string): string | undefined;
  /** By a name in lower case. */
  header(name: string): string | undefined;
  /** Whether a proxy may have read another host in it. */
  readonly isAmbiguous: boolean;
  /** The body as text, or parsed if other middleware has done that. */
  body(): Promise<unknown>;
}

/** A request as Node has received it. */
interface RawRequest {
  readonly url?: string | undefined;
  readonly rawHeaders?: readonly string[];
}

/** Whether a request has several `Host` fields, of which Node reads the first, or a host in its target. */
export function isAmbiguous({ url = '/', rawHeaders = [] }: RawRequest): boolean {
  const hosts = rawHeaders.filter((name, i) => i % 2 === 0 && name.toLowerCase() === 'host');
  return hosts.length > 1 || !url.startsWith('/');
}

/** Where the page is, in frameworks that do not mount handlers themselves. */
export function checkPath(path: string): string {
  if (typeof path === 'string' && /^(\/[^/]+)+$/.test(path)) {
    // Clients send a path as a URL has it: no request has another, one with a query or a space for instance.
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

/** Where the messages of a stream go. */
export interface Sink {
  write(text: string): void;
  /** Bytes that the client has not accepted yet. */
  readonly pending: number;
  end(): void;
  /** Closes the connection without waiting for what is pending. */
  destroy(): void;
}

export interface PageResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** A stream is opened with where it goes, and returns what must be called when the client has left. */
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
