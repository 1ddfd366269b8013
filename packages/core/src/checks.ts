import { HeadgateError, invalid, invalidSecret } from './errors.ts';
import { suggestionFor } from './suggestion.ts';

/**
 * @throws HeadgateError for an unknown option, since a misspelt `queuLimit` that is silently ignored would limit
 *   nothing, and for null, which no option allows.
 */
export function checkNames(owner: string, options: object, known: readonly string[]): void {
  // An array without elements has no unknown names, so it would pass as empty options.
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    throw invalid(owner, 'an object', options, undefined, `the options of ${owner}`);
  }
  // A loop that allocates nothing, since this also checks the options of each request.
  for (const name in options) {
    const value = options[name as keyof typeof options];
    if ((value !== null && known.includes(name)) || !Object.hasOwn(options, name)) continue;
    // Only null is left.
    if (known.includes(name)) throw invalid(name, 'set or omitted', value);
    if (known.includes('limiter') && 'request' in options) throw bareLimiter(owner);
    const meant = suggestionFor(name, known);
    const hint = meant === undefined ? `it knows ${known.join(', ')}` : `did you mean "${meant}"?`;
    const message = `${owner} has no option "${name}"; ${hint}`;
    throw new HeadgateError('ERR_HEADGATE_UNKNOWN_OPTION', message, name);
  }
}

/** Returns the first of these options that is set. */
export function firstSet(options: object, names: readonly string[]): string | undefined {
  const given: Readonly<Record<string, unknown>> = { ...options };
  return names.find((name) => given[name] !== undefined);
}

function bareLimiter(owner: string): HeadgateError {
  const message = `${owner} takes a limiter as { limiter }`;
  return new HeadgateError('ERR_HEADGATE_OPTION', message, owner);
}

/** Accepts a whole number of at least `min`. */
export function checkCount(option: string, value: unknown, min: number, also = ''): number {
  if (Number.isSafeInteger(value) && (value as number) >= min) return value as number;
  throw invalid(option, `a whole number of at least ${min}${also}`, value);
}

/** As `checkCount`, or Infinity. */
export function checkBound(option: string, value: unknown): number {
  return value === Infinity ? value : checkCount(option, value, 0, ', or Infinity');
}

/** Accepts a number of milliseconds from 0, including fractions and Infinity. */
export function checkDuration(option: string, value: unknown): number {
  if (typeof value === 'number' && value >= 0) return value;
  throw invalid(option, 'a number of milliseconds, 0 or more', value);
}

/** As `checkDuration`, but without 0. */
export function checkSpan(option: string, value: unknown): number {
  if (typeof value === 'number' && value > 0) return value;
  throw invalid(option, 'a number of milliseconds above 0', value);
}

/** A number between 0 and 1, both excluded. */
export function checkFraction(option: string, value: unknown): number {
  if (typeof value === 'number' && value > 0 && value < 1) return value;
  throw invalid(option, 'a number between 0 and 1', value);
}

/** A number above 0 and at most 1. */
export function checkPart(option: string, value: unknown): number {
  if (typeof value === 'number' && value > 0 && value <= 1) return value;
  throw invalid(option, 'a number above 0 and at most 1', value);
}

export function isNumber(value: unknown): value is number {
  return typeof value === 'number' && !Number.isNaN(value);
}

/**
 * Checks a text that is not empty.
 *
 * @throws HeadgateError that names the option.
 */
export function checkText(option: string, value: unknown): string {
  if (typeof value === 'string' && value !== '') return value;
  throw invalid(option, 'a string that is not empty', value);
}

/** Checks the token of an `Authorization: Bearer` header. The token is secret, so the error does not contain it. */
export function checkToken(option: string, value: unknown): string | undefined {
  if (value === undefined) return undefined;
  if (typeof value === 'string' && /^[\w.~+/-]+=*$/.test(value)) return value;
  throw invalidSecret(option, 'of letters, digits and -._~+/ only');
}

export function checkSignal(signal: AbortSignal | undefined): void {
  if (signal === undefined || typeof signal?.throwIfAborted === 'function') return;
  throw invalid('signal', 'an AbortSignal', signal);
}

export function checkFunction<F>(option: string, value: F): F {
  if (value === undefined || typeof value === 'function') return value;
  throw invalid(option, 'a function', value);
}

export function checkChoice<T extends string>(option: string, value: unknown, of: readonly T[]): T {
  if (of.includes(value as T)) return value as T;
  throw invalid(option, `one of ${of.join(', ')}`, value);
}

export function checkFlag(option: string, value: unknown): boolean {
  if (value === undefined || typeof value === 'boolean') return value === true;
  throw invalid(option, 'true or false', value);
}

/** Checks that the value is an object with these methods. If `optional`, any of them may be missing. */
export function checkMethods<T extends object>(
  option: string,
  value: T,
  methods: readonly (keyof T & string)[],
  optional = false,
): T {
  if (typeof value !== 'object' || value === null) {
    throw invalid(option, `an object with the methods ${methods.join(', ')}`, value);
  }
  for (const name of methods) {
    if (typeof value[name] === 'function' || (optional && value[name] === undefined)) continue;
    throw invalid(option, 'a function', value[name], undefined, `${option}.${name}`);
  }
  return value;
}
