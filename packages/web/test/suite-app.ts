import { Readable } from 'node:stream';
import type { Rejection } from '@headgate/core';
import { chain, type SmallRouter } from '@headgate/test-kit/small-router';
import {
  adapted,
  type OnReject,
  type SuiteApp,
  type SuiteContext,
  type SuiteOptions,
} from '@headgate/test-suite';
import { admissionOf, type ConcurrencyLimit, concurrencyLimit } from '@headgate/web';

export type Fetch = (request: Request) => Promise<Response>;

/** Makes the adapter's middleware from the suite's options. */
export function webLimit(options: SuiteOptions): ConcurrencyLimit {
  return concurrencyLimit(adapted(options, contextOf, reject, ({ status }: Response) => status));
}

/** Builds the suite's app as a chain of functions, with error handling. */
export function webApp({ steps, onError }: SuiteApp<ConcurrencyLimit>): Fetch {
  const handle = chain(router, steps, async () => notFound());
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

const router: SmallRouter<ConcurrencyLimit, Fetch> = {
  around: (limit, next) => (request) => limit(request, next),
  handler: (handle, kind) => async (request) => {
    const { permit } = admissionOf(request);
    if (permit !== undefined && kind !== undefined) permit.kind = kind;
    const context = contextOf(request);
    await handle(context);
    return context.response ?? notFound();
  },
  either: (matches, inside, outside) => (request) =>
    (matches(request.method, new URL(request.url).pathname) ? inside : outside)(request),
};

const notFound = () => new Response(null, { status: 404 });

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
