import { destination, type Logger, pino, stdTimeFunctions } from 'pino';
import type { LogLevel } from '../configuration/log-level.ts';

/** Maximum number of buffered bytes while stderr cannot be written. Further lines are lost. */
const MAX_BUFFERED_BYTES = 1_000_000;

/** Logs JSON lines to stderr. Writes are synchronous, so the last lines before an exit are not lost. */
export function createLogger(level: LogLevel): Logger {
  const stderr = destination({
    ...{ dest: 2, sync: true, maxLength: MAX_BUFFERED_BYTES },
    // Without this, a pipe that is not read would block the server.
    retryEAGAIN: () => false,
  });
  // The server must not exit because of a full disk. The lines that could not be written are retried with the next one.
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
