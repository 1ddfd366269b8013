import { StoreError } from '@headgate/core/distributed';

/** An error that Redis has sent begins with a word in capitals. */
const SERVER_ERROR = /^(?:ReplyError: )?-?[A-Z]{2,}\b/;

/** Whether the server is reachable and responded with an error. */
export function isRefusal(error: unknown): boolean {
  const { message = '' } = (error ?? {}) as Partial<Error>;
  return SERVER_ERROR.test(message) && !message.startsWith('ECONN');
}

/** Converts a client's error into a StoreError, whose message never contains a key. */
export function failure(cause: unknown): StoreError {
  const { message = '', name = '' } = (cause ?? {}) as Partial<Error>;
  if (isRefusal(cause)) {
    const [word = ''] = message.split(' ', 1);
    return new StoreError('ERR_HEADGATE_STORE_REFUSED', `Redis refused the call: ${word}`, cause);
  }
  if (/timed? ?out/i.test(`${name} ${message}`)) return late(cause);
  return new StoreError('ERR_HEADGATE_STORE_DOWN', 'Redis cannot be reached', cause);
}

/** No answer within `timeout`: it is unknown whether the call was executed. */
export function late(cause?: unknown): StoreError {
  return new StoreError('ERR_HEADGATE_STORE_TIMEOUT', 'Redis has not answered in time', cause);
}

export function closed(): StoreError {
  return new StoreError('ERR_HEADGATE_STORE_DOWN', 'the Redis store was closed');
}
