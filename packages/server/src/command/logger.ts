import { destination, type Logger, pino, stdTimeFunctions } from 'pino';
import type { LogLevel } from '../configuration/log-level.ts';

/** Bytes buffered while stderr cannot be written; log lines beyond them are lost. */
const MAX_BUFFERED_BYTES = 1_000_000;

/** Logs JSON lines to stderr. Writes are synchronous, so the last lines before an exit are not lost. */
export function createLogger(level: LogLevel): Logger {
  const stderr = destination({
    ...{ dest: 2, sync: true, maxLength: MAX_BUFFERED_BYTES },
    // A pipe that is not read would otherwise block the server.
    retryEAGAIN: () => false,
  });
  // A full disk is no reason to exit: what could not be written is retried with the next line.
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
