import { StoreError } from '@headgate/store-kit';

/** Maximum number of characters of an answer quoted in an error, so that the message stays below some 200. */
const MAX_QUOTED_LENGTH = 120;

/** Statuses with which a gateway reports that the service behind it is down. */
const gatewayStatuses = [502, 504];

/** The error for an answer that says that the service did not do what was requested. */
export function notDone({ status, text }: { status: number; text: string }): StoreError {
  const message = `the semaphore service answered ${status}: ${excerpt(text)}`;
  const isDown = gatewayStatuses.includes(status);
  const code = isDown ? 'ERR_HEADGATE_STORE_DOWN' : 'ERR_HEADGATE_STORE_REFUSED';
  return new StoreError(code, message, new HttpError(status, text));
}

/** The error for a request that the service cannot fulfil, so that retrying is pointless. */
export function refused(message: string): StoreError {
  return new StoreError('ERR_HEADGATE_STORE_REFUSED', message);
}

/** The error for a peer that the service has just created and reports as unknown. */
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

/** The error for a call without an answer in time. It is unknown whether the service has executed it. */
export function late(): StoreError {
  const message = 'the semaphore service has not answered in time';
  return new StoreError('ERR_HEADGATE_STORE_TIMEOUT', message);
}

export function isLate(error: unknown): boolean {
  return error instanceof StoreError && error.code === 'ERR_HEADGATE_STORE_TIMEOUT';
}

/** A type of its own, because retrying is pointless, unlike after a lost connection. */
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

/** The beginning of an answer in one line. The answer may be a page, if the URL is wrong. */
function excerpt(text: string): string {
  const line = text
    .slice(0, 10 * MAX_QUOTED_LENGTH)
    .replace(/\s+/g, ' ')
    .trim();
  return line.length > MAX_QUOTED_LENGTH ? `${line.slice(0, MAX_QUOTED_LENGTH)}…` : line;
}

/** The statuses above 500 which say that the request itself is wrong, so that it is not retried. */
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
