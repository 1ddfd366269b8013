import { StoreError } from '@headgate/core/shared';

/** Characters of a response's body in an error message, so that the message stays below some 200. */
const maxExcerpt = 120;

/** What a gateway says whose service is away. */
const awayBehindGateway = [502, 504];

/** The service answers, but has not done as it was asked to. */
export function notDone({ status, text }: { status: number; text: string }): StoreError {
  const told = `the semaphore service answered ${status}: ${excerpt(text)}`;
  const isAway = awayBehindGateway.includes(status);
  const code = isAway ? 'ERR_HEADGATE_STORE_DOWN' : 'ERR_HEADGATE_STORE_REFUSED';
  return new StoreError(code, told, new HttpError(status, text));
}

/** To ask, or to ask again, would make no difference. */
export function refused(message: string): StoreError {
  return new StoreError('ERR_HEADGATE_STORE_REFUSED', message);
}

/** A peer was made, and is not known. */
export function forgetful(): StoreError {
  return refused('the semaphore service forgets peers as soon as they are made');
}

export function unreachable(cause: unknown): StoreError {
  return new StoreError(
    'ERR_HEADGATE_STORE_DOWN',
    'the semaphore service cannot be reached',
    cause,
  );
}

/** Whether the call was done is not known. */
export function late(): StoreError {
  const message = 'the semaphore service has not answered in time';
  return new StoreError('ERR_HEADGATE_STORE_TIMEOUT', message);
}

export function isLate(error: unknown): boolean {
  return error instanceof StoreError && error.code === 'ERR_HEADGATE_STORE_TIMEOUT';
}

/** It is not opened again. */
class Closed extends StoreError {}

export function closed(what: string): StoreError {
  return new Closed('ERR_HEADGATE_STORE_DOWN', `${what} was closed`);
}

/** An answer that is no success. */
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
    .slice(0, 10 * maxExcerpt)
    .replace(/\s+/g, ' ')
    .trim();
  return line.length > maxExcerpt ? `${line.slice(0, maxExcerpt)}…` : line;
}

/** Those beyond 500 that say that the request itself is wrong. */
const final = [501, 505, 506, 507, 508, 510, 511];
const passing = [408, 444, 499];

/** Whether the same may succeed when it is tried again. */
export function isPassing(error: unknown): boolean {
  if (!(error instanceof StoreError) || error instanceof Closed) return false;
  const { code, cause } = error;
  if (!(cause instanceof HttpError)) return code !== 'ERR_HEADGATE_STORE_REFUSED';
  const { status } = cause;
  return passing.includes(status) || (status >= 500 && !final.includes(status));
}
