import type { Rejection } from './rejection.ts';

/**
 * The response to a rejected request, in the properties that frameworks read from an error in their error handling:
 * Express and Koa use `status` and `headers`, Nest `statusCode`, Hono `getResponse`, and Koa sends the message if
 * `expose` is true.
 */
export interface ErrorResponse {
  status: number;
  statusCode: number;
  expose: boolean;
  headers: Record<string, string>;
  getResponse(): Response;
}

export function rejectionHeaders({ retryAfter }: Rejection): Record<string, string> {
  return { 'Retry-After': `${retryAfter}`, 'Cache-Control': 'no-store' };
}

export function errorResponse(rejection: Rejection, expose: boolean): ErrorResponse {
  const status = 503;
  const headers = rejectionHeaders(rejection);
  // Plain text, since the error does not know which types its client accepts.
  const type = { 'Content-Type': 'text/plain; charset=utf-8' };
  const getResponse = () =>
    new Response(`${sentence(rejection)}\n`, { status, headers: { ...headers, ...type } });
  return { status, statusCode: status, expose, headers, getResponse };
}

export function sentence({ retryAfter }: Rejection): string {
  return `Too busy at the moment. Try again in ${retryAfter} second${retryAfter === 1 ? '' : 's'}.`;
}
