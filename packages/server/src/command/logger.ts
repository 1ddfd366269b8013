import { destination, type Logger, pino, stdTimeFunctions } from 'pino';
import type { LogLevel } from '../configuration/log-level.ts';

/** Bytes that are kept where they cannot be written; what is said beyond them is lost. */
const mostKept = 1_000_000;

/** JSON lines on stderr, each written before anything else happens: the last ones matter most. */
export function createLogger(level: LogLevel): Logger {
  const stderr = destination({ dest: 2, sync: true, maxLength: mostKept });
  // A disk that is full is no reason to stop: what could not be written is tried again with the next line.
  stderr.on('error', () => {});
  return pino(
    {
      level: pinoLevel(level),
      base: null,
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    stderr,
  );
}

export function pinoLevel(level: LogLevel): string {
  return level === 'off' ? 'silent' : level;
}
