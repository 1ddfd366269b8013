import { pipeline } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { Rejection } from '@headgate/core';
import { type ConcurrencyLimit, concurrencyLimit } from '@headgate/express';
import {
  adapted,
  type FrameworkDriver,
  type OnReject,
  type Step,
  type SuiteContext,
} from '@headgate/test-suite';
import type express from 'express';
import type { ErrorRequestHandler, NextFunction, Request, Response, Router } from 'express';

type Express = typeof express;

/** Builds the suite's apps with either version of Express. */
export function expressFramework(
  name: string,
  version: Express,
): FrameworkDriver<ConcurrencyLimit> {
  return {
    name,
    can: { tracksHandlers: false, http2: false },

    limit: (options) =>
      concurrencyLimit(adapted(options, contextOf, reject, (res: Response) => res.statusCode)),

    listener({ steps, onError }) {
      const app = version();
      // In any other environment, Express logs the errors behind its 500 responses.
      app.set('env', 'test');
      add(app, steps, version);
      const report: ErrorRequestHandler = (error, _req, _res, next) => {
        onError(error);
        next(error);
      };
      app.use(report);
      return app;
    },
  };
}

function add(app: Router, steps: readonly Step<ConcurrencyLimit>[], version: Express): void {
  for (const step of steps) {
    if ('use' in step) app.use(step.use);
    else if ('mount' in step) {
      const router = version.Router();
      add(router, step.steps, version);
      app.use(step.mount, router);
    } else {
      const { path, method = 'GET', handle } = step;
      // Express 4 ignores what a handler returns.
      const handler = (req: Request, res: Response, next: NextFunction) => {
        handle(contextOf(req, res))?.catch(next);
      };
      if (path === undefined) app.use(handler);
      else app[method === 'GET' ? 'get' : 'post'](path, handler);
    }
  }
}

function reject(onReject: OnReject) {
  return (rejection: Rejection, req: Request, res: Response, next: NextFunction) =>
    onReject(rejection, contextOf(req, res), next);
}

function contextOf(req: Request, res = req.res as Response): SuiteContext {
  return {
    method: req.method,
    path: req.originalUrl.split('?', 1)[0] as string,
    header: (name) => req.get(name),
    body: () => text(req),
    get admission() {
      return res.locals.admission;
    },
    incoming: req,
    outgoing: res,
    send: (status, body = '', headers = {}) => {
      res.status(status).set(headers).type('text').send(body);
    },
    stream: (body, headers = {}) => {
      res.set(headers);
      pipeline(body, res, () => {});
    },
  };
}
