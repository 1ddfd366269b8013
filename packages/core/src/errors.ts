/** Codes of errors; `docs/errors.md` explains each. */
export type ErrorCode =
  | 'ERR_HEADGATE_OPTION'
  | 'ERR_HEADGATE_UNKNOWN_OPTION'
  | 'ERR_HEADGATE_DUPLICATE_NAME'
  | 'ERR_HEADGATE_GATE_ORDER'
  | 'ERR_HEADGATE_ROUTE'
  | 'ERR_HEADGATE_KEY'
  | 'ERR_HEADGATE_PROMISE'
  | 'ERR_HEADGATE_WEIGHT'
  | 'ERR_HEADGATE_WAITING'
  | 'ERR_HEADGATE_MIDDLEWARE'
  | 'ERR_HEADGATE_CONFIGURATION'
  | 'ERR_HEADGATE_RUNTIME'
  | 'ERR_HEADGATE_UNSUPPORTED'
  | 'ERR_HEADGATE_REJECTED'
  | 'ERR_HEADGATE_CLOSED'
  | 'ERR_HEADGATE_MAX_HOLD'
  | 'ERR_HEADGATE_DISCONNECTED'
  | 'ERR_HEADGATE_DEADLINE'
  | 'ERR_HEADGATE_LEASE_LOST'
  | 'ERR_HEADGATE_STORE_DOWN'
  | 'ERR_HEADGATE_STORE_TIMEOUT'
  | 'ERR_HEADGATE_STORE_REFUSED';

/** Base class of all errors of Headgate. Distinguish them by `code`. */
export class HeadgateError extends Error {
  /** Name of the class. Distinguish errors by `code` instead. */
  override readonly name: string = 'HeadgateError';
  /** Where the code is explained. Node prints it with an uncaught error. */
  readonly help: string;

  constructor(
    /** Identifies the kind of error. Each code has a section in `docs/errors.md`. */
    readonly code: ErrorCode,
    message: string,
    /** Name of the invalid option, if there is one. */
    readonly option?: string,
  ) {
    super(message);
    this.help = `@headgate/core/docs/errors.md#${code.toLowerCase()}`;
  }
}

/** Creates the error for a value that an option does not allow. */
export function invalid(
  option: string,
  expected: string,
  value: unknown,
  code: ErrorCode = 'ERR_HEADGATE_OPTION',
  subject = option,
): HeadgateError {
  // The caller passed an async function where a synchronous one is required. The rejection of its promise must not end
  // the process. Another thenable might start its work at `then`, as query builders do.
  if (value instanceof Promise) value.catch(() => {});
  const message = `${subject} must be ${expected}, got ${shown(value)}`;
  if (!isThenable(value) || !synchronousOptions.includes(option))
    return new HeadgateError(code, message, option);
  return new HeadgateError('ERR_HEADGATE_PROMISE', message + AWAIT_FIRST, option);
}

/** Like `invalid`, but omits the value, which may be a secret or contain one. */
export function invalidSecret(option: string, expected: string): HeadgateError {
  const message = `${option} must be ${expected}, got a value that is not shown`;
  return new HeadgateError('ERR_HEADGATE_OPTION', message, option);
}

/**
 * Creates the error for a function that must be omitted. `invalid` would say that it was not called, as if calling it
 * were the remedy.
 */
export function superfluous(option: string, when: string): HeadgateError {
  const message = `${option} must be omitted ${when}, got a function`;
  return new HeadgateError('ERR_HEADGATE_OPTION', message, option);
}

/** Options that must not be promises: a request is admitted without awaiting anything. */
const synchronousOptions = [
  'key',
  'limit',
  'skip',
  'weight',
  'priority',
  'fairBy',
  'shares.by',
  'queueTimeout',
];
const AWAIT_FIRST =
  ': await it before the limit, as "A plan from a database" shows (@headgate/core/docs/limit-per-tenant.md)';

function shown(value: unknown): string {
  if (isThenable(value)) return 'a promise';
  if (typeof value === 'string') return JSON.stringify(value.slice(0, 40));
  if (typeof value === 'function') return 'a function that was not called';
  if (typeof value === 'bigint') return `${value}n`;
  if (Array.isArray(value)) return `an array of ${value.length}`;
  if (typeof value === 'object' && value !== null)
    return `a value of type ${Object.prototype.toString.call(value).slice(8, -1)}`;
  return String(value);
}

/** Returns the result of `call`, or undefined if it throws; the error then surfaces as an uncaught exception. */
export function attempt<T>(call: () => T): T | undefined {
  try {
    return call();
  } catch (error) {
    throwLater(error);
    return undefined;
  }
}

/** Throws in a microtask, so that one caller's error does not affect other callers. */
export function throwLater(error: unknown): void {
  queueMicrotask(() => {
    throw error;
  });
}

/** Accepts any thenable, since some libraries return thenables instead of promises. Handlers may return any value. */
export function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof (value as PromiseLike<unknown> | null | undefined)?.then === 'function';
}
