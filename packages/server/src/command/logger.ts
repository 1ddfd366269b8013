import { destination, type Logger, pino, stdTimeFunctions } from 'pino';
import type { LogLevel } from '../configuration/log-level.ts';

/** JSON lines on stderr, each written before anything else happens: the last ones matter most. */
export function createLogger(level: LogLevel): Logger {
  return pino(
    {
      level: pinoLevel(level),
      base: null,
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    destination({ dest: 2, sync: true }),
  );
}

export function pinoLevel(level: LogLevel): string {
  return level === 'off' ? 'silent' : level;
}
