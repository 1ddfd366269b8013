import { EventEmitter, once } from 'node:events';
import { IncomingMessage, type RequestListener, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { Writable } from 'node:stream';
import { configure as codegenie } from '@codegenie/serverless-express';
import { configure as vendia } from '@vendia/serverless-express';
import inject from 'light-my-request';
import mocks from 'node-mocks-http';
import serverlessHttp from 'serverless-http';
import supertest from 'supertest';

interface HostResponse {
  readonly status: number;
  readonly body: string;
  readonly retryAfter: string | undefined;
}

/** Sends a GET request through a host. */
export type Send = (path: string) => Promise<HostResponse>;

/** Something that calls a listener instead of Node's HTTP server. */
interface Host {
  readonly name: string;
  /** Whether the host's requests and responses are not streams, which frameworks' error handling requires. */
  readonly isMock: boolean;
  start(listener: RequestListener): Send;
}

/** The hosts for a listener of requests, each as its documentation uses it. */
export const hosts: readonly Host[] = [
  // These two must run before light-my-request, which replaces the prototypes of Express permanently.
  host('supertest', throughSupertest),
  host('a request and a response made by hand', throughMessages),
  host('@codegenie/serverless-express', (app) => throughLambda(codegenie({ app }))),
  host('@vendia/serverless-express', (app) => throughLambda(vendia({ app }))),
  host('serverless-http', (app) => throughLambda(serverlessHttp(app))),
  host('light-my-request', throughInject),
  host('node-mocks-http', (app) => throughMocks(app, EventEmitter), true),
  host('node-mocks-http without events', (app) => throughMocks(app), true),
];

function host(name: string, start: Host['start'], isMock = false): Host {
  return { name, start, isMock };
}

/** An event of AWS API Gateway, version 2. */
function eventOf(path: string) {
  const http = { method: 'GET', path, protocol: 'HTTP/1.1', sourceIp: '192.0.2.1', userAgent: '' };
  const stage = { requestId: '1', routeKey: '$default', stage: '$default', time: '', timeEpoch: 0 };
  return {
    ...{ version: '2.0', routeKey: '$default', rawPath: path, rawQueryString: '' },
    ...{ headers: { host: 'test' }, isBase64Encoded: false },
    requestContext: { accountId: '1', apiId: '1', domainName: 'test', http, ...stage },
  };
}

/** Calls a handler as AWS Lambda does. */
// biome-ignore lint/suspicious/noExplicitAny: each library has its own types of events
export function throughLambda(handler: (...args: any[]) => unknown): Send {
  return async (path) => {
    const result = (await handler(eventOf(path), {}, () => {})) as LambdaResult;
    const { statusCode, body, headers = {}, isBase64Encoded } = result;
    const field = Object.entries(headers).find(([name]) => name.toLowerCase() === 'retry-after');
    return {
      status: statusCode,
      body: isBase64Encoded ? Buffer.from(body, 'base64').toString() : body,
      retryAfter: field === undefined ? undefined : String(field[1]),
    };
  };
}

interface LambdaResult {
  readonly statusCode: number;
  readonly body: string;
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly isBase64Encoded: boolean;
}

function throughInject(listener: RequestListener): Send {
  return async (path) => {
    const { statusCode, body, headers } = await inject(listener as never, { url: path });
    return { status: statusCode, body, retryAfter: headers['retry-after'] as string | undefined };
  };
}

/** The socket of the request belongs to no server, and the response emits only `finish`. */
function throughMessages(listener: RequestListener): Send {
  return async (path) => {
    const req = new IncomingMessage(new Socket());
    Object.assign(req, { method: 'GET', url: path, headers: { host: 'test' }, complete: true });
    // HTTP/1.0, so that the body of the response is not chunked.
    Object.assign(req, { httpVersion: '1.0', httpVersionMajor: 1, httpVersionMinor: 0 });
    req.push(null);
    const res = new ServerResponse(req);
    let sent = '';
    const write = (chunk: Buffer, _: unknown, done: () => void) => {
      sent += chunk;
      done();
    };
    res.assignSocket(new Writable({ write }) as Socket);
    const finished = once(res, 'finish');
    listener(req, res);
    await finished;
    const [, body = ''] = sent.split(/\r\n\r\n(.*)/s);
    const retryAfter = res.getHeader('retry-after') ?? /^retry-after: (.*)$/im.exec(sent)?.[1];
    return { status: res.statusCode, body, retryAfter: retryAfter?.toString() };
  };
}

/** @param emitter Makes the response emit events. Without it, the response emits none. */
function throughMocks(listener: RequestListener, emitter?: typeof EventEmitter): Send {
  return async (path) => {
    const req = mocks.createRequest({ method: 'GET', url: path });
    const res = mocks.createResponse(emitter && { eventEmitter: emitter, req });
    const { end } = res;
    await new Promise((resolve) => {
      res.end = (...args: unknown[]) => {
        end.apply(res, args as never);
        resolve(undefined);
        return res;
      };
      listener(req as never, res as never);
    });
    const retryAfter = res.getHeader('Retry-After');
    return {
      status: res.statusCode,
      body: res._getData(),
      retryAfter: retryAfter?.toString(),
    };
  };
}

function throughSupertest(listener: RequestListener): Send {
  return async (path) => {
    const { status, text, headers } = await supertest(listener).get(path);
    return { status, body: text, retryAfter: headers['retry-after'] };
  };
}
