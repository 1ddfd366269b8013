import { StoreError } from '@headgate/core/shared';

/** An error as Redis sends it: a word in capitals first. */
const fromServer = /^(?:ReplyError: )?-?[A-Z]{2,}\b/;

/** Whether the server is there, and has said no. */
export function isRefusal(error: unknown): boolean {
  const { message = '' } = (error ?? {}) as Partial<Error>;
  return fromServer.test(message) && !message.startsWith('ECONN');
}

/** What a client's error means to a limiter. Never with a key in it. */
export function failure(cause: unknown): StoreError {
  const { message = '', name = '' } = (cause ?? {}) as Partial<Error>;
  if (isRefusal(cause)) {
    const [word = ''] = message.split(' ', 1);
    return new StoreError('ERR_HEADGATE_STORE_REFUSED', `Redis refused the call: ${word}`, cause);
  }
  if (/timed? ?out/i.test(`${name} ${message}`)) return late(cause);
  return new StoreError('ERR_HEADGATE_STORE_DOWN', 'Redis cannot be reached', cause);
}

/** No answer within the time: whether the call was done is not known. */
export function late(cause?: unknown): StoreError {
  return new StoreError('ERR_HEADGATE_STORE_TIMEOUT', 'Redis has not answered in time', cause);
}

export function closed(): StoreError {
  return new StoreError('ERR_HEADGATE_STORE_DOWN', 'the Redis store was closed');
}
