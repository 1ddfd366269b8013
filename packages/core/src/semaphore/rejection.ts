import { type ErrorCode, HeadgateError } from '../errors.ts';

/**
 * Why a request was rejected. `full`: the queue was full. `timeout`: it was queued for too long, or for
 * longer than its client would wait. `closed`: the limiter was closed. `overloaded`: the server is overloaded. `paused`: it
 * would have timed out before the limiter's pause ends. `store`: the store of a distributed limit failed.
 */
export type RejectionReason = 'full' | 'timeout' | 'closed' | 'overloaded' | 'paused' | 'store';

/** Describes a rejection. A plain object, since creating an error captures a stack trace. */
export interface Rejection {
  /** Why the request was rejected. */
  readonly reason: RejectionReason;
  /** Name of the limit, guard or gate that rejected it. */
  readonly limitName: string;
  /** Number of waiters queued there. */
  readonly queued: number;
  /** How long the request was queued, in milliseconds. */
  readonly waited: number;
  /** In how many seconds to retry, a whole number of at least 1: the value of `Retry-After`. */
  readonly retryAfter: number;
  /** The store's error, if the reason is `store`. */
  readonly error?: StoreError | undefined;
}

/** A counter for each reason. */
export function noRejections(): Record<RejectionReason, number> {
  return { full: 0, timeout: 0, closed: 0, overloaded: 0, paused: 0, store: 0 };
}

/** The limit that causes the rejection of a waiter at another limit. */
export type RejectionCause = Pick<Rejection, 'limitName' | 'error'>;

/**
 * The error of `acquire` and `run` for a rejected request. (If a store is the cause, the error is a `StoreError`.) If
 * it reaches a framework's error handling, the response is the same as after a rejection by a gate.
 */
export class RejectedError extends HeadgateError implements ErrorResponse {
  /** Name of the class. Distinguish errors by `code` instead. */
  override readonly name = 'RejectedError';
  /** Status of the response: 503. */
  declare status: number;
  /** The same status, for frameworks that read this property. */
  declare statusCode: number;
  /** Whether a framework may show the message to clients. */
  declare expose: boolean;
  /** Header fields of the response, with `Retry-After`. */
  declare headers: Record<string, string>;
  /** Returns the response, for Hono. */
  declare getResponse: () => Response;

  constructor(
    /** Why, by which limit, and when to retry. */
    readonly rejection: Rejection,
  ) {
    super('ERR_HEADGATE_REJECTED', `limit "${rejection.limitName}" rejected: ${rejection.reason}`);
    Object.assign(this, errorResponse(rejection, true));
  }
}

/**
 * The store of a distributed limit is unavailable or has refused a call, or a lease was lost. Its `cause` is the
 * client's own error, if there is one.
 */
export class StoreError extends HeadgateError {
  /** Name of the class. Distinguish errors by `code` instead. */
  override readonly name = 'StoreError';

  constructor(
    /** What has failed: the connection, a call, or a lease. */
    override readonly code: Extract<
      ErrorCode,
      `ERR_HEADGATE_STORE${string}` | 'ERR_HEADGATE_LEASE_LOST'
    >,
    message: string,
    cause?: unknown,
    /** The rejection, if this is the error of `acquire` or `run`. */
    readonly rejection?: Rejection,
  ) {
    super(code, message);
    if (cause !== undefined) this.cause = cause;
  }

  /** @internal The same error with a rejection, for a request that is rejected because of this error. */
  for(rejection: Rejection): StoreError & ErrorResponse {
    const message = `limit "${rejection.limitName}" rejected: ${this.message}`;
    const error = new StoreError(this.code, message, this.cause ?? this, rejection);
    // The message may name the store, so it is not exposed to clients.
    return Object.assign(error, errorResponse(rejection, false));
  }
}

/**
 * The response to a rejected request, as properties that frameworks read from an error: Express and Koa use `status`
 * and `headers`, Nest `statusCode`, Hono `getResponse`. Koa sends the message if `expose` is true.
 */
interface ErrorResponse {
  status: number;
  statusCode: number;
  expose: boolean;
  headers: Record<string, string>;
  getResponse(): Response;
}

export function rejectionHeaders({ retryAfter }: Rejection): Record<string, string> {
  return { 'Retry-After': `${retryAfter}`, 'Cache-Control': 'no-store' };
}

function errorResponse(rejection: Rejection, expose: boolean): ErrorResponse {
  const status = 503;
  const headers = rejectionHeaders(rejection);
  // Plain text, since this code does not know which types the client accepts.
  const type = { 'Content-Type': 'text/plain; charset=utf-8' };
  const getResponse = () =>
    new Response(`${sentence(rejection)}\n`, { status, headers: { ...headers, ...type } });
  return { status, statusCode: status, expose, headers, getResponse };
}

/** Explains a rejection to a client: 503 by the load of the server, 429 by the client's own usage. */
export function sentence({ retryAfter }: Rejection, status = 503): string {
  const why = status === 429 ? 'Too many requests at the same time' : 'The server is busy';
  return `${why}. Try again in ${retryAfter} second${retryAfter === 1 ? '' : 's'}.`;
}
