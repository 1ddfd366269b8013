import { StoreError } from '@headgate/core/distributed';

/** Maximum number of characters of an answer quoted in an error, so that the message stays below some 200. */
const MAX_QUOTED_LENGTH = 120;

/** Statuses with which a gateway reports that the service behind it is down. */
const gatewayStatuses = [502, 504];

/** The service answered, but did not do what was requested. */
export function notDone({ status, text }: { status: number; text: string }): StoreError {
  const message = `the semaphore service answered ${status}: ${excerpt(text)}`;
  const isDown = gatewayStatuses.includes(status);
  const code = isDown ? 'ERR_HEADGATE_STORE_DOWN' : 'ERR_HEADGATE_STORE_REFUSED';
  return new StoreError(code, message, new HttpError(status, text));
}

/** A request that the service cannot fulfil, so retrying is pointless. */
export function refused(message: string): StoreError {
  return new StoreError('ERR_HEADGATE_STORE_REFUSED', message);
}

/** The service reports a peer as unknown that it has just created. */
export function peerForgotten(): StoreError {
  return refused('the semaphore service forgets peers as soon as they are created');
}

export function unreachable(cause: unknown): StoreError {
  return new StoreError(
    'ERR_HEADGATE_STORE_DOWN',
    'the semaphore service cannot be reached',
    cause,
  );
}

/** A call without an answer in time. Whether it was carried out is unknown. */
export function late(): StoreError {
  const message = 'the semaphore service has not answered in time';
  return new StoreError('ERR_HEADGATE_STORE_TIMEOUT', message);
}

export function isLate(error: unknown): boolean {
  return error instanceof StoreError && error.code === 'ERR_HEADGATE_STORE_TIMEOUT';
}

/** Distinguished from a connection that is down, because retrying is pointless. */
class Closed extends StoreError {}

export function closed(what: string): StoreError {
  return new Closed('ERR_HEADGATE_STORE_DOWN', `${what} was closed`);
}

/** An answer with an error status. */
export class HttpError extends Error {
  override readonly name = 'HttpError';

  constructor(
    readonly status: number,
    /** The whole body. */
    readonly text: string,
  ) {
    super(`${status}: ${excerpt(text)}`);
  }
}

/** In one line: a wrong URL is answered with a page. */
function excerpt(text: string): string {
  const line = text
    .slice(0, 10 * MAX_QUOTED_LENGTH)
    .replace(/\s+/g, ' ')
    .trim();
  return line.length > MAX_QUOTED_LENGTH ? `${line.slice(0, MAX_QUOTED_LENGTH)}…` : line;
}

/** Statuses from 501 on that mean that the request itself is wrong, so it is not retried. */
const permanent = [501, 505, 506, 507, 508, 510, 511];
const transient = [408, 444, 499];

/** Whether a retry may succeed. */
export function isTransient(error: unknown): boolean {
  if (!(error instanceof StoreError) || error instanceof Closed) return false;
  const { code, cause } = error;
  if (!(cause instanceof HttpError)) return code !== 'ERR_HEADGATE_STORE_REFUSED';
  const { status } = cause;
  return transient.includes(status) || (status >= 500 && !permanent.includes(status));
}
