/** Where the server says what happens; a pino logger is one. */
export interface Log {
  warn(message: string): void;
  error(message: string): void;
}

/** As long as nobody listens. */
export const silent: Log = { warn() {}, error() {} };
