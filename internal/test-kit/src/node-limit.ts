import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { Rejection } from '@headgate/core';
import { admissionOf, type ConcurrencyLimit, concurrencyLimit } from '@headgate/node';
import { adapted, type OnReject, type SuiteContext, type SuiteOptions } from '@headgate/test-suite';

type Req = IncomingMessage;
type Res = ServerResponse;

/** The response to a request. Node does not link them, and functions of the request get only the request. */
export const responses = new WeakMap<Req, Res>();

/** Makes the limit of `@headgate/node` from the suite's options. */
export function nodeLimit(options: SuiteOptions): ConcurrencyLimit {
  return concurrencyLimit(adapted(options, contextOf, reject, (res: Res) => res.statusCode));
}

function reject(onReject: OnReject) {
  return (rejection: Rejection, req: Req, res: Res, next: () => unknown) =>
    onReject(rejection, contextOf(req, res), next);
}

/** The suite's context of a request of `node:http`. */
export function contextOf(req: Req, res = responses.get(req) as Res): SuiteContext {
  return {
    method: req.method as string,
    path: (req.url as string).split('?', 1)[0] as string,
    header: (name) => req.headers[name.toLowerCase()] as string | undefined,
    body: () => text(req),
    admission: admissionOf(res),
    incoming: req,
    outgoing: res,
    send: (status, body = '', headers = {}) => {
      res.statusCode = status;
      for (const [name, value] of Object.entries(headers)) res.setHeader(name, value);
      res.end(body);
    },
    stream: (body, headers = {}) => {
      res.writeHead(200, headers);
      pipeline(body, res, () => {});
    },
  };
}
