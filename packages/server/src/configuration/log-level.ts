import { invalid } from '@headgate/core/options';

const levels = ['error', 'warn', 'info', 'debug', 'trace', 'off'] as const;

/** Ordered from the least to the most verbose. `off` disables the log. */
export type LogLevel = (typeof levels)[number];

/**
 * Parses a log level, in any case.
 *
 * @throws HeadgateError for any other text.
 */
export function logLevelFrom(option: string, value: string): LogLevel {
  const level = levels.find((each) => each === value.toLowerCase());
  if (level === undefined) throw invalid(option, `one of ${levels.join(', ')}`, value);
  return level;
}
