import { StoreError } from '@headgate/core/shared';

/** Connection exceptions, and the server going down or coming up, or having no connection to spare. */
const away = /^(08...|57P0[1235]|53300)$/;
const canceled = new Set(['57014', '55P03']);
/** No such schema, table or function. */
const missing = new Set(['3F000', '42P01', '42883']);
const repeatable = new Set(['40001', '40P01']);

/** The SQLSTATE; empty without one. None begins with E, as the system's own codes do: `EPIPE` has five characters, too. */
export function stateOf(error: unknown): string {
  const { code } = (error ?? {}) as { code?: unknown };
  return typeof code === 'string' && /^[0-9A-DF-Z][0-9A-Z]{4}$/.test(code) ? code : '';
}

/** Whether the server has undone it for the sake of another transaction: it may well succeed the next time. */
export function isUndone(error: unknown): boolean {
  return repeatable.has(stateOf(error));
}

/** Whether the connection is of no use any more, or there is none. */
export function isAway(error: unknown): boolean {
  return failure(error).code === 'ERR_HEADGATE_STORE_DOWN';
}

/** Whether the server is about to end, or to be there: it says so to everybody alike. */
export function servesNobody(error: unknown): boolean {
  return stateOf(error) === '57P03';
}

/** Whether the server is there, and has said no. */
function isRefusal(error: unknown): boolean {
  if (error instanceof StoreError) return error.code === 'ERR_HEADGATE_STORE_REFUSED';
  const state = stateOf(error);
  return state !== '' && !away.test(state) && !canceled.has(state);
}

/** What a client's error means to a limiter. Never with a key in it. */
export function failure(cause: unknown): StoreError {
  if (cause instanceof StoreError) return cause;
  const state = stateOf(cause);
  if (missing.has(state)) {
    return refused(`its tables are not there (${state}): await store.migrate(), once`, cause);
  }
  if (state === '42703') {
    const { message } = cause as Error;
    return refused(`its tables are not as migrate() makes them (${state}: ${message})`, cause);
  }
  if (isRefusal(cause)) return refused(`PostgreSQL refused the call: ${state}`, cause);
  const { message = '' } = (cause ?? {}) as Partial<Error>;
  // Only `pg` reports a timeout by its message alone: 57P05, after which the server ends the connection, has the word as well.
  const isLate = state === '' ? /timeout/i.test(message) : canceled.has(state);
  if (isLate) return late(cause);
  return down('PostgreSQL cannot be reached', cause);
}

export function refused(message: string, cause?: unknown): StoreError {
  return new StoreError('ERR_HEADGATE_STORE_REFUSED', message, cause);
}

/** No answer within the time: whether the call was done is not known. */
export function late(cause?: unknown): StoreError {
  return new StoreError('ERR_HEADGATE_STORE_TIMEOUT', 'PostgreSQL has not answered in time', cause);
}

/** Whether the server has no room for further notifications. */
export function isQueueFull(error: unknown): boolean {
  return stateOf(error) === '54000';
}

export function queueFull(cause: unknown): StoreError {
  const message = 'the NOTIFY queue of PostgreSQL is full (54000): waiters are granted later';
  return refused(message, cause);
}

export function unheard(): StoreError {
  const message = 'notifications do not arrive: the listening connection is being replaced';
  return new StoreError('ERR_HEADGATE_STORE_TIMEOUT', message);
}

function down(message: string, cause?: unknown): StoreError {
  return new StoreError('ERR_HEADGATE_STORE_DOWN', message, cause);
}

export function closed(): StoreError {
  return down('the PostgreSQL store was closed');
}
