import type { Rejection } from '../semaphore/rejection.ts';
import { rejectionHeaders, sentence } from '../semaphore/rejection.ts';
import { type MediaType, preferred } from './accept.ts';

const encoder = new TextEncoder();

/** What the response depends on besides the rejection. */
export interface Asked {
  readonly method: string;
  readonly accept: string | undefined;
  /** 503 blames the load of the server, 429 the client's own usage. */
  readonly statusCode: number;
}

/** The response to a rejected request, the same in every framework. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Bounds the cache. Its keys depend on the app's limits, not on what clients send, so few are expected. */
const MAX_CACHED_ANSWERS = 1000;

/** Caches responses: under overload the same few are sent over and over. */
export class Answers {
  readonly #cache = new Map<string, Answer>();

  to(rejection: Rejection, asked: Asked): Answer {
    const { reason, limitName: limit, retryAfter } = rejection;
    const type = preferred(asked.accept);
    const reloads = type === 'text/html' && asked.method === 'GET';
    const key = `${asked.statusCode} ${type} ${reloads} ${reason} ${retryAfter} ${limit}`;
    let answer = this.#cache.get(key);
    if (answer === undefined) {
      if (this.#cache.size >= MAX_CACHED_ANSWERS) this.#cache.clear();
      answer = word(rejection, asked.statusCode, type, reloads);
      this.#cache.set(key, answer);
    }
    return answer;
  }
}

/** Contains nothing that any client has sent, this one included. */
function word(rejection: Rejection, status: number, type: MediaType, reloads: boolean): Answer {
  const [contentType, body] =
    type === 'text/html'
      ? ['text/html; charset=utf-8', page(rejection, reloads)]
      : type === 'text/plain'
        ? ['text/plain; charset=utf-8', `${sentence(rejection)}\n`]
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
      ? 'Request cannot be satisfied as assigned quota has been exceeded'
      : 'Request cannot be satisfied due to temporary server capacity constraints',
    status,
    detail: sentence(rejection),
    'violated-policies': [rejection.limitName],
    reason: rejection.reason,
  });
}

/** Reloads itself only after a GET, which is safe to repeat. */
function page(rejection: Rejection, reloads: boolean): string {
  const refresh = reloads ? `<meta http-equiv="refresh" content="${rejection.retryAfter}">` : '';
  return (
    `<!doctype html><html lang="en"><meta charset="utf-8">${refresh}` +
    '<meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark">' +
    '<title>Busy</title><style>body{font:1.1rem system-ui;margin:20vh auto;max-width:30rem;padding:0 1rem}</style>' +
    `<h1>Just a moment</h1><p>${sentence(rejection)}</p>` +
    (reloads ? '<p>This page reloads by itself.</p>' : '')
  );
}
