import { createServer, type Server } from 'node:http';
import { concurrencyLimit } from '@headgate/express';
import { concurrencyLimit as limitListener } from '@headgate/node';
import express, { type RequestHandler } from 'express';
import type { Handler } from '../handler.ts';
import { limiter } from './limit.ts';

/** How long a handler takes, in milliseconds. */
export const HANDLER_MS = 100;

/** A kind of handler, and the load for it. */
export interface Kind {
  serve(): Server | Promise<Server>;
  /** The size of the request's body in bytes. Default: no body. */
  upload?: number;
  /** How long a handler takes, in milliseconds. Default: `HANDLER_MS`. */
  duration?: number;
  /** Requests per second. Default: those that use 40 % of the limit. */
  rate?: number;
}

export type Kinds = Readonly<Record<string, Kind>>;

/** Handlers of an Express app with a limit. */
export function inExpress(...handlers: RequestHandler[]): Kind {
  return {
    serve() {
      const app = express();
      // Otherwise it prints an error for each upload that its client aborts.
      app.set('env', 'test');
      app.use(concurrencyLimit({ limiter }), ...handlers);
      return createServer(app);
    },
  };
}

export function inNode(handler: Handler): Kind {
  return { serve: () => createServer(limitListener({ limiter })(handler)) };
}
