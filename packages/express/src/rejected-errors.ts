import { responseToError } from '@headgate/core/http';
import type { NextFunction, Request, Response } from 'express';

/**
 * Error-handling middleware, for `app.use(rejectedErrors)` behind the routes. Responds to the errors of `acquire` and
 * `run` as a limit does, and passes other errors on. Express itself would print each of them, with its stack.
 */
export function rejectedErrors(
  error: unknown,
  req: Request,
  res: Response,
  next: NextFunction,
): void {
  const response = responseToError(error, req);
  if (response === undefined || res.headersSent) return next(error);
  res.writeHead(response.status, response.headers);
  res.end(response.body);
}
