import { ipKey } from '@headgate/core';

/** A line of an access log. */
export interface Entry {
  /** When the request ended, in milliseconds since 1970. */
  readonly end: number;
  /** Milliseconds that the server took. */
  readonly took: number;
  /** Whether `took` includes the time in which the client received the answer. */
  readonly includesClient: boolean;
  /** Without the query. */
  readonly path: string;
  /** 499 if the client left. */
  readonly status: number;
  /** The client's address, as `ipKey` reduces it. */
  readonly address: string;
}

/** Why a line is not an entry. */
export type Unread = 'no known format' | 'no duration' | 'no duration, since the client left';

/** The status of requests whose client left before the answer: nginx's number. */
export const CLIENT_LEFT = 499;

/** A longer line is none of a request that a server has logged. Bounds the time that a hostile one takes. */
const MAX_LINE = 16_384;
/** A day, in milliseconds. Nothing that takes longer is a request. */
const MAX_TOOK = 86_400_000;

/** Reads a line of an access log: JSON of Caddy or pino-http, or a line that begins as Apache's do. */
export function entryOf(line: string): Entry | Unread {
  if (line.length > MAX_LINE) return 'no known format';
  const entry = line.startsWith('{') ? entryOfJson(line) : entryOfText(line);
  if (typeof entry === 'string') return entry;
  const isValid = !Number.isNaN(new Date(entry.end).getTime());
  return isValid && entry.took >= 0 && entry.took <= MAX_TOOK ? entry : 'no known format';
}

interface JsonLine {
  readonly ts?: number | string;
  readonly time?: number | string;
  readonly duration?: number | string;
  readonly responseTime?: unknown;
  readonly status?: number;
  readonly request?: {
    readonly uri?: string;
    readonly client_ip?: string;
    readonly remote_ip?: string;
  };
  readonly req?: { readonly url?: string; readonly remoteAddress?: string };
  readonly res?: { readonly statusCode?: number | null };
}

function entryOfJson(line: string): Entry | Unread {
  let json: JsonLine;
  try {
    json = JSON.parse(line);
  } catch {
    return 'no known format';
  }
  const { request, duration, req, res, responseTime } = json;
  if (typeof request?.uri === 'string') {
    if (duration === undefined) return 'no duration';
    return entry(request.uri, request.client_ip ?? request.remote_ip, {
      ...{ end: timeOf(json.ts), took: milliseconds(duration), includesClient: true },
      status: json.status || CLIENT_LEFT,
    });
  }
  if (typeof req?.url !== 'string') return 'no known format';
  if (typeof responseTime !== 'number') return 'no duration';
  return entry(req.url, req.remoteAddress, {
    ...{ end: timeOf(json.time), took: responseTime, includesClient: false },
    status: res?.statusCode ?? CLIENT_LEFT,
  });
}

/** Loggers write seconds, milliseconds, microseconds or nanoseconds since 1970, or a date. Returns milliseconds. */
function timeOf(time: unknown): number {
  if (typeof time !== 'number') return Date.parse(String(time));
  for (const unit of [1_000, 1, 1e-3, 1e-6]) if (time * unit < 1e13) return time * unit;
  return Number.NaN;
}

/** Caddy writes seconds, or with another setting a text such as `1.5s` or `20ms`. */
function milliseconds(duration: number | string): number {
  if (typeof duration === 'number') return duration * 1000;
  const [, number, unit] = /^([\d.]+)(µs|us|ms|s)$/.exec(duration) ?? [];
  const factors: Record<string, number> = { µs: 0.001, us: 0.001, ms: 1, s: 1000 };
  return Number(number) * (factors[unit ?? ''] ?? Number.NaN);
}

const textLine = /\[([^[\]]{1,40})\] "\S+ (\S+)[^"]*" (\d{3}|-) (?:\S+)(.*)$/;
/** nginx's `$upstream_response_time`, named in the log by one of the usual names; several upstreams were tried. */
const upstreamTime = /\b(?:urt|uht|upstream_response_time)[=:]([\d.]+(?:, [\d.]+)*)/g;
/** nginx's `$request_time`. */
const requestTime = /\b(?:rt|request_time)[=:]([\d.]+)/g;
/** morgan's `:response-time ms`. */
const responseTime = / ([\d.]+) ms\b/g;
/** nginx's `$request_time $upstream_response_time` without names, after everything else. */
const lastTimes = / (\d+\.\d{3})(?: (\d+\.\d{3}|-))?\s*$/;

function entryOfText(line: string): Entry | Unread {
  const match = textLine.exec(line);
  if (match === null) return 'no known format';
  const [, date = '', path = '', code, rest = ''] = match;
  // morgan writes - for the status of a request whose client left.
  const status = code === '-' ? CLIENT_LEFT : Number(code);
  const took = durationIn(rest.replace(/"[^"]*"/g, (quoted) => quoted.slice(1, -1)));
  if (took === undefined)
    return status === CLIENT_LEFT ? 'no duration, since the client left' : 'no duration';
  // The log has whole seconds.
  return entry(path, line.slice(0, line.indexOf(' ')), { end: endOf(date) + 500, status, ...took });
}

function durationIn(text: string): Pick<Entry, 'took' | 'includesClient'> | undefined {
  const upstream = lastOf(upstreamTime, text);
  if (upstream !== undefined) {
    const seconds = upstream.split(', ').reduce((sum, part) => sum + Number(part), 0);
    return { took: seconds * 1000, includesClient: false };
  }
  const request = lastOf(requestTime, text);
  if (request !== undefined) return { took: Number(request) * 1000, includesClient: true };
  const response = lastOf(responseTime, text);
  if (response !== undefined) return { took: Number(response), includesClient: false };
  const [, total, server] = lastTimes.exec(text) ?? [];
  if (total === undefined) return undefined;
  const hasServer = server !== undefined && server !== '-';
  return { took: Number(hasServer ? server : total) * 1000, includesClient: !hasServer };
}

/** The last match: clients choose what the line says before it, such as their User-Agent. */
function lastOf(pattern: RegExp, text: string): string | undefined {
  return [...text.matchAll(pattern)].at(-1)?.[1];
}

/** The time of a date such as `29/Nov/2026:14:36:02 +0100`, or of an ISO date, in milliseconds. */
function endOf(text: string): number {
  // As in an email, which JavaScript reads.
  return Date.parse(text.replace(/^(\d+)\/(\w+)\/(\d{4}):/, '$1 $2 $3 '));
}

function entry(target: string, address: unknown, others: Omit<Entry, 'path' | 'address'>): Entry {
  const key = ipKey(typeof address === 'string' ? address : undefined);
  return { ...others, path: target.split('?', 1)[0] as string, address: key };
}
