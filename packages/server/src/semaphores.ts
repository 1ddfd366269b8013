import { checkNames, invalid } from '@headgate/core/options';
import type { SemaphoreSettings } from './state/semaphore.ts';

/** A full count, alone or with a level. */
export type SemaphoreOptions =
  | number
  | bigint
  | {
      /** The maximum total count of acquired locks; 0 closes the semaphore. */
      readonly max: number | bigint;
      /** A peer that holds a lock may only acquire locks of lower levels, which prevents deadlocks. Default: 0. */
      readonly level?: number | bigint | undefined;
    };

/**
 * Semaphores by name. Any string is a name except the empty one, `.` and `..`, which cannot be part of a URL's path.
 */
export type SemaphoresOptions = Readonly<Record<string, SemaphoreOptions>>;

const MAX_FULL_COUNT = 2n ** 63n - 1n;
const MAX_LEVEL = 2n ** 31n - 1n;

/**
 * Checks the options.
 *
 * @throws HeadgateError for an invalid name, full count or level.
 */
export function semaphoresFrom(options: SemaphoresOptions): Map<string, SemaphoreSettings> {
  if (typeof options !== 'object' || options === null) {
    throw invalid('semaphores', 'an object', options);
  }
  return new Map(
    Object.entries(options).map(([name, each]) => [name, settingsFrom(`semaphores.${name}`, each)]),
  );
}

function settingsFrom(option: string, value: SemaphoreOptions): SemaphoreSettings {
  const name = option.slice('semaphores.'.length);
  if (['', '.', '..'].includes(name)) {
    throw invalid('a name in semaphores', 'not empty, nor one or two dots', name);
  }
  if (typeof value === 'number' || typeof value === 'bigint') {
    return { max: maxFrom(option, value), level: 0 };
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw invalid(option, 'a full count such as 42, or { max, level }', value);
  }
  checkNames(option, value, ['max', 'level']);
  return {
    max: maxFrom(`${option}.max`, value.max),
    level: Number(levelFrom(`${option}.level`, value.level ?? 0)),
  };
}

function maxFrom(option: string, value: unknown): bigint {
  return wholeFrom(option, value, 0n, MAX_FULL_COUNT, 'a whole number of at least 0');
}

function levelFrom(option: string, value: unknown): bigint {
  return wholeFrom(option, value, -MAX_LEVEL - 1n, MAX_LEVEL, 'a whole number of 32 bits');
}

function wholeFrom(
  option: string,
  value: unknown,
  min: bigint,
  max: bigint,
  expected: string,
): bigint {
  const isWhole = typeof value === 'bigint' || Number.isSafeInteger(value);
  const whole = isWhole ? BigInt(value as number | bigint) : undefined;
  if (whole === undefined || whole < min || whole > max) throw invalid(option, expected, value);
  return whole;
}
