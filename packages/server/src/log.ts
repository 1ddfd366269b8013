/** Receives the server's log messages; a pino logger fits. */
export interface Log {
  warn(message: string): void;
  error(message: string): void;
}

/** The default: discards all messages. */
export const silent: Log = { warn() {}, error() {} };
