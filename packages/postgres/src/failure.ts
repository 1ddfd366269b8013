import { StoreError } from '@headgate/store-kit';

/**
 * The SQLSTATEs of a lost connection, of a server that is starting or shutting down, and of a server without free
 * connections.
 */
const disconnects = /^(08...|57P0[1235]|53300)$/;
const canceled = new Set(['57014', '55P03']);
/** The schema, a table or a function does not exist. */
const missing = new Set(['3F000', '42P01', '42883']);
/** Explains refusals that an operator can end. `docs/errors.md` says how. */
const meanings = new Map([
  ['28000', 'there is no such role, or it may not log in'],
  ['28P01', 'the role or its password is wrong'],
  ['3D000', 'the database does not exist'],
  ['42501', 'the role lacks rights'],
  ['25006', 'it is a replica'],
  ['53100', 'its disk is full'],
  ['53200', 'its memory is full'],
]);
const transactionRollbacks = new Set(['40001', '40P01']);

/**
 * The SQLSTATE, or an empty string. Excludes system error codes, which begin with E: `EPIPE` has five characters, too.
 */
export function stateOf(error: unknown): string {
  const { code } = (error ?? {}) as { code?: unknown };
  return typeof code === 'string' && /^[0-9A-DF-Z][0-9A-Z]{4}$/.test(code) ? code : '';
}

/**
 * Whether the server rolled back the transaction because of a conflict with another one, so that a retry may succeed.
 */
export function isTransactionRollback(error: unknown): boolean {
  return transactionRollbacks.has(stateOf(error));
}

/** Whether the connection is lost or unusable, or could not be opened. */
export function isDisconnect(error: unknown): boolean {
  return failure(error).code === 'ERR_HEADGATE_STORE_DOWN';
}

/** Whether the server reports to every client that it is starting or shutting down. */
export function isStartingOrStopping(error: unknown): boolean {
  return stateOf(error) === '57P03';
}

/** Whether the role lacks rights. */
export function isDenied(error: unknown): boolean {
  return stateOf(error) === '42501';
}

/** Whether the server refuses the connection: to this role, or because it has too many connections. */
export function isRefusedConnection(error: unknown): boolean {
  return stateOf(error) === '53300' || isRefusal(error);
}

/** Whether the server is reachable and responded with an error. */
function isRefusal(error: unknown): boolean {
  if (error instanceof StoreError) return error.code === 'ERR_HEADGATE_STORE_REFUSED';
  const state = stateOf(error);
  return state !== '' && !disconnects.test(state) && !canceled.has(state);
}

/** Converts a client's error into a StoreError, whose message never contains a key. */
export function failure(cause: unknown): StoreError {
  if (cause instanceof StoreError) return cause;
  const state = stateOf(cause);
  if (missing.has(state)) {
    return refused(`its tables do not exist (${state}): call await store.migrate() once`, cause);
  }
  if (state === '42703') {
    const { message } = cause as Error;
    return refused(
      `its tables differ from those that migrate() creates (${state}: ${message})`,
      cause,
    );
  }
  if (isRefusal(cause)) {
    const meaning = meanings.get(state);
    // Only in this case does the message name an object, which belongs to the store's schema.
    const detail = isDenied(cause) ? `: ${(cause as Error).message}` : '';
    const reason = meaning === undefined ? state : `${state} (${meaning}${detail})`;
    return refused(`PostgreSQL refused the call: ${reason}`, cause);
  }
  const { message = '' } = (cause ?? {}) as Partial<Error>;
  // An error of `pg` itself is recognized as a timeout by its message. The message of 57P05, with which the server ends
  // the connection, contains the word too.
  const isLate = state === '' ? /timeout/i.test(message) : canceled.has(state);
  if (isLate) return late(cause);
  return down('PostgreSQL cannot be reached', cause);
}

export function refused(message: string, cause?: unknown): StoreError {
  return new StoreError('ERR_HEADGATE_STORE_REFUSED', message, cause);
}

/** No answer within `timeout`: it is unknown whether the call was executed. */
export function late(cause?: unknown): StoreError {
  return new StoreError('ERR_HEADGATE_STORE_TIMEOUT', 'PostgreSQL has not answered in time', cause);
}

/** The app's `connect` has not returned. */
export function notMade(time: number): StoreError {
  return down(`connect has returned no client within ${time} ms`);
}

/** Whether the server's queue of notifications is full. */
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
