import 'reflect-metadata';
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from 'node:http';
import { pipeline } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { Rejection } from '@headgate/core';
import {
  ConcurrencyLimit,
  type ConcurrencyLimitDecorator,
  type ConcurrencyLimitOptions,
  RejectionException,
} from '@headgate/nestjs';
import {
  adapted,
  type FrameworkDriver,
  type OnReject,
  type Step,
  type SuiteApp,
  type SuiteContext,
} from '@headgate/test-suite';
import type { SuiteHandler } from '@headgate/test-suite/kit';
import {
  All,
  type ArgumentsHost,
  type CallHandler,
  Catch,
  Controller,
  type ExecutionContext,
  Get,
  HttpException,
  type INestApplication,
  type LoggerService,
  Module,
  Post,
  Req,
  Res,
  type Type,
} from '@nestjs/common';
import { BaseExceptionFilter, HttpAdapterHost, NestFactory } from '@nestjs/core';
import { ExpressAdapter } from '@nestjs/platform-express';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { lastValueFrom } from 'rxjs';
import { limitKey } from '../src/limit-interceptor.ts';

type Limit = ConcurrencyLimitDecorator;
type Platform = 'Express' | 'Fastify';

/** The pattern of every path. */
const anyPath = { Express: '{*path}', Fastify: '*' };

/** Builds the suite's apps with Nest on one of its platforms: each handler is a controller with the limits before it. */
export function nestFramework(platform: Platform): FrameworkDriver<Limit> {
  return {
    name: `NestJS on ${platform}`,
    // Exception filters write the responses to rejections and to errors.
    can: { tracksHandlers: true, http2: platform === 'Fastify', formatsRejections: false },

    limit: (options) =>
      ConcurrencyLimit(
        adapted<ConcurrencyLimitOptions, [ExecutionContext], Response>(
          options,
          contextOf,
          reject,
          (response) => response.statusCode,
        ),
      ),

    listener(app) {
      let listener: RequestListener | undefined;
      const ready = start(platform, app).then((started) => {
        listener = started;
      });
      return (req, res) => {
        if (listener !== undefined) listener(req, res);
        else void ready.then(() => listener?.(req, res));
      };
    },
  };
}

async function start(platform: Platform, app: SuiteApp<Limit>): Promise<RequestListener> {
  class Root {}
  Module({ controllers: controllersOf(platform, app.steps) })(Root);
  const adapter =
    platform === 'Express'
      ? new ExpressAdapter()
      : new FastifyAdapter({ serverFactory: (handler: RequestListener) => createServer(handler) });
  const logger = loggerTo(app.onError);
  const options = { logger, abortOnError: false, bodyParser: false } as const;
  const nest = await NestFactory.create(Root, adapter, options);
  reportErrors(nest, app.onError);
  if (platform === 'Express') {
    await nest.init();
    return nest.getHttpAdapter().getInstance();
  }
  const fastify = nest.getHttpAdapter().getInstance();
  // The suite reads bodies itself.
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser('*', (_: unknown, __: unknown, done: (error: null) => void) =>
    done(null),
  );
  await nest.init();
  await fastify.ready();
  return (req, res) => fastify.routing(req, res);
}

/** The adapter logs errors after the response. Nest logs its own by itself, and the filter reports those. */
function loggerTo(onError: (error: unknown) => void): LoggerService {
  return {
    log() {},
    warn() {},
    error(error, ...rest) {
      if (rest.at(-1) === 'ConcurrencyLimit') onError(error);
    },
  };
}

function reportErrors(nest: INestApplication, onError: (error: unknown) => void): void {
  @Catch()
  class Filter extends BaseExceptionFilter {
    override catch(error: unknown, host: ArgumentsHost) {
      // An unknown path is an exception as well.
      if (!(error instanceof HttpException)) onError(error);
      super.catch(
        error instanceof RejectionException ? described(error, error.getStatus()) : error,
        host,
      );
    }
  }
  nest.useGlobalFilters(new Filter(nest.get(HttpAdapterHost).httpAdapter));
}

/** The fields of a rejection that the suite reads, as a filter of an application may add them. */
function described({ rejection }: RejectionException, status: number): HttpException {
  const { reason, limitName } = rejection;
  return new HttpException({ status, reason, 'violated-policies': [limitName] }, status);
}

/** A controller for each handler. */
function controllersOf(
  platform: Platform,
  steps: readonly Step<Limit>[],
  mount = '',
  outer: readonly Limit[] = [],
): Type[] {
  const limits = [...outer];
  const controllers: Type[] = [];
  for (const step of steps) {
    if ('use' in step) limits.push(step.use);
    else if ('mount' in step) {
      controllers.push(...controllersOf(platform, step.steps, mount + step.mount, limits));
    } else controllers.push(controllerOf(platform, step, mount, limits));
  }
  return controllers;
}

function controllerOf(
  platform: Platform,
  { path, method = 'GET', handle }: Extract<Step<Limit>, { handle: SuiteHandler }>,
  mount: string,
  limits: readonly Limit[],
): Type {
  class Handler {
    handle(request: Request, response: Response) {
      return handle(contextWith(request, response));
    }
  }
  const { prototype } = Handler;
  const route = path === undefined ? All(anyPath[platform]) : (method === 'GET' ? Get : Post)(path);
  route(prototype, 'handle', Object.getOwnPropertyDescriptor(prototype, 'handle') as never);
  Req()(prototype, 'handle', 0);
  Res()(prototype, 'handle', 1);
  for (const limit of limits) limit(Handler);
  // Otherwise, the last decorator replaces the others. Limits of several modules are stacked like this.
  if (limits.length > 1) Reflect.deleteMetadata(limitKey, Handler);
  Controller(mount)(Handler);
  return Handler;
}

function reject(onReject: OnReject) {
  return (rejection: Rejection, context: ExecutionContext, next: CallHandler) =>
    onReject(rejection, contextOf(context), () =>
      lastValueFrom(next.handle(), { defaultValue: undefined }),
    );
}

/** What is used of the requests and responses of Express and Fastify. */
type Request = IncomingMessage & {
  raw?: IncomingMessage;
  originalUrl: string;
  method: string;
  admission?: SuiteContext['admission'];
};
type Response = ServerResponse & {
  raw?: ServerResponse;
  status(status: number): unknown;
  header(name: string, value: string): unknown;
  send(body: unknown): unknown;
};

function contextOf(context: ExecutionContext): SuiteContext {
  const http = context.switchToHttp();
  return contextWith(http.getRequest(), http.getResponse());
}

function contextWith(request: Request, response: Response): SuiteContext {
  const [incoming, outgoing] = [request.raw ?? request, response.raw ?? response];
  const setAll = (headers: Readonly<Record<string, string>>) => {
    for (const [name, value] of Object.entries(headers)) response.header(name, value);
  };
  return {
    method: request.method,
    path: request.originalUrl.split('?', 1)[0] as string,
    header: (name) => request.headers[name.toLowerCase()] as string | undefined,
    body: () => text(incoming),
    get admission() {
      return request.admission;
    },
    incoming,
    outgoing,
    send: (status, body = '', headers = {}) => {
      response.status(status);
      setAll({ 'Content-Type': 'text/plain; charset=utf-8', ...headers });
      response.send(body);
    },
    stream: (body, headers = {}) => {
      setAll(headers);
      if (response.raw === undefined) pipeline(body, outgoing, () => {});
      else response.send(body);
    },
  };
}
