import { Readable } from 'node:stream';
import type { Rejection } from '@headgate/core';
import { decodedPath } from '@headgate/core/http';
import {
  adapted,
  type OnReject,
  type Step,
  type SuiteApp,
  type SuiteContext,
  type SuiteOptions,
} from '@headgate/test-suite';
import { admissionOf, type ConcurrencyLimit, concurrencyLimit } from '@headgate/web';
import { pathToRegexp } from 'path-to-regexp';

export type Fetch = (request: Request) => Promise<Response>;

/** Makes the adapter's middleware from the suite's options. */
export function webLimit(options: SuiteOptions): ConcurrencyLimit {
  return concurrencyLimit(adapted(options, contextOf, reject, ({ status }: Response) => status));
}

/** Builds the suite's app as a chain of functions, with a small router and error handling. */
export function webApp({ steps, onError }: SuiteApp<ConcurrencyLimit>): Fetch {
  const handle = chain(steps, '', async () => new Response(null, { status: 404 }));
  return async (request) => {
    try {
      return await handle(request);
    } catch (error) {
      onError(error);
      const { status = 500, headers = {} } = error as ResponseInit;
      return new Response(null, { status, headers });
    }
  };
}

function chain(steps: readonly Step<ConcurrencyLimit>[], prefix: string, last: Fetch): Fetch {
  return steps.reduceRight((next, step) => stepOf(step, prefix, next), last);
}

function stepOf(step: Step<ConcurrencyLimit>, prefix: string, next: Fetch): Fetch {
  if ('use' in step) return (request) => step.use(request, next);
  if ('mount' in step) {
    const inner = chain(step.steps, prefix + step.mount, next);
    return matching(`${prefix}${step.mount}/*rest`, () => true, inner, next);
  }
  const { path, method = 'GET', handle } = step;
  const handler: Fetch = async (request) => {
    const context = contextOf(request);
    await handle(context);
    return context.response ?? new Response(null, { status: 404 });
  };
  if (path === undefined) return handler;
  const routed: Fetch = (request) => {
    const { permit } = admissionOf(request);
    // As a router does for adaptive limits.
    if (permit !== undefined) permit.kind = `${method} ${path}`;
    return handler(request);
  };
  const isAllowed = (actual: string) =>
    actual === method || (actual === 'HEAD' && method === 'GET');
  return matching(prefix + path, isAllowed, routed, next);
}

function matching(
  pattern: string,
  isAllowed: (method: string) => boolean,
  inside: Fetch,
  outside: Fetch,
): Fetch {
  const { regexp } = pathToRegexp(pattern);
  return (request) => {
    const path = decodedPath(new URL(request.url).pathname);
    return (isAllowed(request.method) && regexp.test(path) ? inside : outside)(request);
  };
}

function reject(onReject: OnReject) {
  return async (rejection: Rejection, request: Request, next: Fetch) => {
    const context = contextOf(request);
    const result = await onReject(rejection, context, () => next(request));
    return result instanceof Response || result === false ? result : context.response;
  };
}

function contextOf(request: Request): SuiteContext & { readonly response: Response | undefined } {
  let response: Response | undefined;
  return {
    get response() {
      return response;
    },
    method: request.method,
    path: new URL(request.url).pathname,
    header: (name) => request.headers.get(name) ?? undefined,
    body: () => request.text(),
    get admission() {
      return admissionOf(request);
    },
    incoming: undefined as never,
    outgoing: undefined as never,
    send: (status, body = '', headers = {}) => {
      response = new Response(body === '' ? null : body, { status, headers });
    },
    stream: (body, headers = {}) => {
      response = new Response(Readable.toWeb(body) as ReadableStream, { headers });
    },
  };
}
