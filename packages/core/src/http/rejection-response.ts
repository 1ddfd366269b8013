import {
  type RejectedError,
  type Rejection,
  rejectionHeaders,
  sentence,
} from '../semaphore/rejection.ts';

/**
 * The media types of a rejection, most preferred first. A client that accepts anything gets the first. Each type lists
 * the ranges that match it, most specific first (RFC 9110, 12.5.1).
 */
const ranges = {
  'application/problem+json': [
    'application/problem+json',
    'application/json',
    'application/*',
    '*/*',
  ],
  'text/html': ['text/html', 'text/*', '*/*'],
  'text/plain': ['text/plain', 'text/*', '*/*'],
};

type MediaType = keyof typeof ranges;

const encoder = new TextEncoder();

/** What the response depends on, except the rejection itself. */
interface ResponseContext {
  readonly method: string;
  readonly accept: string | undefined;
  /** 503 means that the server is overloaded, 429 that the client uses too much. */
  readonly statusCode: number;
}

/** The response to a rejected request, the same in every framework. */
export interface RejectionResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Maximum size of the cache. Its keys depend on the app's limits, not on what clients send, so few are expected. */
const MAX_CACHED_RESPONSES = 1000;

/** Caches responses, since an overloaded server sends the same few again and again. */
export class RejectionResponses {
  readonly #cache = new Map<string, RejectionResponse>();

  to(rejection: Rejection, context: ResponseContext): RejectionResponse {
    const { reason, limitName, retryAfter } = rejection;
    const type = preferred(context.accept);
    // The response to a HEAD request states the length of the response to a GET (RFC 9110, 8.6).
    const reloads = type === 'text/html' && /^(GET|HEAD)$/.test(context.method);
    const key = `${context.statusCode} ${type} ${reloads} ${reason} ${retryAfter} ${limitName}`;
    let response = this.#cache.get(key);
    if (response === undefined) {
      if (this.#cache.size >= MAX_CACHED_RESPONSES) this.#cache.clear();
      response = createResponse(rejection, context.statusCode, type, reloads);
      this.#cache.set(key, response);
    }
    return response;
  }
}

const responses = new RejectionResponses();

/** The response to an error of `acquire` or `run`: the same as that of a gate. Undefined for any other error. */
export function responseToError(
  error: unknown,
  {
    method,
    headers,
  }: { readonly method: string; readonly headers: { readonly accept?: string | undefined } },
): RejectionResponse | undefined {
  const { code, rejection } = (error ?? {}) as Partial<RejectedError>;
  if (rejection === undefined || !code?.startsWith('ERR_HEADGATE_')) return undefined;
  return responses.to(rejection, { method, accept: headers.accept, statusCode: 503 });
}

/** Creates a response without any data that a client has sent. */
function createResponse(
  rejection: Rejection,
  status: number,
  type: MediaType,
  reloads: boolean,
): RejectionResponse {
  const [contentType, body] =
    type === 'text/html'
      ? [
          'text/html; charset=utf-8',
          page(sentence(rejection, status), rejection.retryAfter, reloads),
        ]
      : type === 'text/plain'
        ? ['text/plain; charset=utf-8', `${sentence(rejection, status)}\n`]
        : [type, problem(rejection, status)];
  const headers = {
    'Content-Type': contentType,
    ...rejectionHeaders(rejection),
    'Content-Length': String(encoder.encode(body).length),
  };
  return { status, headers, body };
}

/** RFC 9457, with the problem types of draft-ietf-httpapi-ratelimit-headers. */
function problem(rejection: Rejection, status: number): string {
  const quota = status === 429;
  return JSON.stringify({
    type: `https://iana.org/assignments/http-problem-types#${quota ? 'quota-exceeded' : 'temporary-reduced-capacity'}`,
    title: quota
      ? 'Too many concurrent requests'
      : 'Request cannot be satisfied due to temporary server capacity constraints',
    status,
    detail: sentence(rejection, status),
    'violated-policies': [rejection.limitName],
    reason: rejection.reason,
  });
}

/** An HTML page. It reloads itself only after a GET, which is safe to repeat. */
function page(text: string, retryAfter: number, reloads: boolean): string {
  const refresh = reloads ? `<meta http-equiv="refresh" content="${retryAfter}">` : '';
  return (
    `<!doctype html><html lang="en"><meta charset="utf-8">${refresh}` +
    '<meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark">' +
    '<title>Busy</title><style>body{font:1.1rem system-ui;margin:20vh auto;max-width:30rem;padding:0 1rem}</style>' +
    `<h1>Just a moment</h1><p>${text}</p>` +
    (reloads ? '<p>This page reloads by itself.</p>' : '')
  );
}

/**
 * The media type that the client prefers, or plain text if it accepts none of them, since every client can read that.
 */
function preferred(accept: string | undefined): MediaType {
  if (accept === undefined || accept === '' || accept === '*/*') return 'application/problem+json';
  const qualities = parseQualities(accept);
  let best: MediaType = 'text/plain';
  let bestQuality = 0;
  for (const type of Object.keys(ranges) as MediaType[]) {
    const range = ranges[type].find((name) => qualities.has(name));
    const quality = (range === undefined ? undefined : qualities.get(range)) ?? 0;
    if (quality <= bestQuality) continue;
    best = type;
    bestQuality = quality;
  }
  return best;
}

/** Maximum length of a header that is parsed. Real clients send less; an attacker could send kilobytes. */
const MAX_ACCEPT_LENGTH = 1000;

function parseQualities(accept: string): Map<string, number> {
  const qualities = new Map<string, number>();
  for (const part of accept.slice(0, MAX_ACCEPT_LENGTH).split(',')) {
    const [range = '', ...parameters] = part.split(';');
    const q = parameters
      .map((text) => text.trim().toLowerCase())
      .find((text) => text.startsWith('q='));
    const quality = q === undefined ? 1 : Number(q.slice(2));
    qualities.set(range.trim().toLowerCase(), quality >= 0 && quality <= 1 ? quality : 0);
  }
  return qualities;
}
