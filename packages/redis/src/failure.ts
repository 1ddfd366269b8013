import { StoreError } from '@headgate/store-kit';

/** Matches errors sent by Redis, which begin with a word in capitals. */
const SERVER_ERROR = /^(?:ReplyError: )?-?[A-Z]{2,}\b/;

/** Explains refusals that an operator can end. `docs/errors.md` says how. */
const meanings = new Map([
  ['NOAUTH', 'the client must log in'],
  ['WRONGPASS', 'the user or the password is wrong'],
  ['NOPERM', 'the user lacks rights'],
  ['READONLY', 'it is a replica'],
  ['OOM', 'its memory is full'],
  ['WRONGTYPE', 'another program uses the key'],
]);

/** Whether the server is reachable and responded with an error. */
export function isRefusal(error: unknown): boolean {
  const { message = '' } = ofNode(error);
  return SERVER_ERROR.test(message) && !message.startsWith('ECONN');
}

/** The error of a node, if the client of a cluster has wrapped it in an error of its own. */
function ofNode(error: unknown): Partial<Error> {
  const { lastNodeError } = (error ?? {}) as { lastNodeError?: Partial<Error> };
  return lastNodeError?.message ? lastNodeError : ((error ?? {}) as Partial<Error>);
}

/** Converts a client's error into a StoreError. Neither its message nor its cause contains a key. */
export function failure(error: unknown): StoreError {
  if (error instanceof StoreError) return error;
  const own = ofNode(error);
  const { message = '', name = '' } = own;
  const cause = withoutCommand(own);
  if (isRefusal(own)) {
    return refused(`Redis refused the call: ${reasonOf((cause as Error).message)}`, cause);
  }
  if (/timed? ?out/i.test(`${name} ${message}`)) return late(cause);
  return new StoreError('ERR_HEADGATE_STORE_DOWN', 'Redis cannot be reached', cause);
}

/** @param message The server's message, without the command. */
function reasonOf(message: string): string {
  const [word = ''] = message.split(' ', 1);
  // The message is kept whole, since the word ERR alone explains nothing.
  if (word === 'ERR') return message;
  const meaning = meanings.get(word);
  return meaning === undefined ? word : `${word} (${meaning})`;
}

export function refused(message: string, cause?: unknown): StoreError {
  return new StoreError('ERR_HEADGATE_STORE_REFUSED', message, cause);
}

/** No answer within `timeout`: it is unknown whether the call was executed. */
export function late(cause?: unknown): StoreError {
  return new StoreError('ERR_HEADGATE_STORE_TIMEOUT', 'Redis has not answered in time', cause);
}

/**
 * Copies the client's error without the command, so that an app can log it safely. ioredis adds the command to its
 * errors, with arguments that contain the key of a limit, or the password. Also the server quotes the arguments of an
 * unknown command.
 */
function withoutCommand(error: unknown): unknown {
  if (typeof error !== 'object' || error === null) return error;
  const { message = '', name = 'Error', code } = error as Partial<NodeJS.ErrnoException>;
  const copy = new Error(message.replace(/, with args beginning with: .*/s, ''));
  return Object.assign(copy, { name }, code === undefined ? {} : { code });
}

export function closed(): StoreError {
  return new StoreError('ERR_HEADGATE_STORE_DOWN', 'the Redis store was closed');
}
