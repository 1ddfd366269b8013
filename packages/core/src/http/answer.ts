import type { Rejection } from '../limiter/rejection.ts';
import { rejectionHeaders, sentence } from '../limiter/rejection-response.ts';
import { type MediaType, preferred } from './accept.ts';

const encoder = new TextEncoder();

/** What the answer depends on besides the rejection. */
export interface Asked {
  readonly method: string;
  readonly accept: string | undefined;
  /** 503 says that the server has too much to do, 429 that this client wants too much. */
  readonly statusCode: number;
}

/** What a rejected client is told: the same in every framework. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** More than this many are not remembered; what they depend on is the app's, so there are few. */
const mostRemembered = 1000;

/** Under overload the same answers are given over and over: they are worded once. */
export class Answers {
  readonly #known = new Map<string, Answer>();

  to(rejection: Rejection, asked: Asked): Answer {
    const { reason, limit, retryAfter } = rejection;
    const type = preferred(asked.accept);
    const comesBack = type === 'text/html' && asked.method === 'GET';
    const key = `${asked.statusCode} ${type} ${comesBack} ${reason} ${retryAfter} ${limit}`;
    let answer = this.#known.get(key);
    if (answer === undefined) {
      if (this.#known.size >= mostRemembered) this.#known.clear();
      answer = word(rejection, asked.statusCode, type, comesBack);
      this.#known.set(key, answer);
    }
    return answer;
  }
}

/** Says nothing that another client has sent, nor anything that this one has. */
function word(rejection: Rejection, status: number, type: MediaType, comesBack: boolean): Answer {
  const [contentType, body] =
    type === 'text/html'
      ? ['text/html; charset=utf-8', page(rejection, comesBack)]
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
    'violated-policies': [rejection.limit],
    reason: rejection.reason,
  });
}

/** Comes back by itself where that repeats nothing but a GET. */
function page(rejection: Rejection, comesBack: boolean): string {
  const refresh = comesBack ? `<meta http-equiv="refresh" content="${rejection.retryAfter}">` : '';
  return (
    `<!doctype html><html lang="en"><meta charset="utf-8">${refresh}` +
    '<meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark">' +
    '<title>Busy</title><style>body{font:1.1rem system-ui;margin:20vh auto;max-width:30rem;padding:0 1rem}</style>' +
    `<h1>Just a moment</h1><p>${sentence(rejection)}</p>` +
    (comesBack ? '<p>This page comes back by itself.</p>' : '')
  );
}
