import { invalid } from '@headgate/core/shared';

const levels = ['error', 'warn', 'info', 'debug', 'trace', 'off'] as const;

/** From what is said least to what is said most; `off` says nothing. */
export type LogLevel = (typeof levels)[number];

/** In capitals or not. */
export function logLevelFrom(option: string, value: string): LogLevel {
  const level = levels.find((each) => each === value.toLowerCase());
  if (level === undefined) throw invalid(option, `one of ${levels.join(', ')}`, value);
  return level;
}
