/** Where the server says what happens; a pino logger is one. */
export interface Log {
  debug(message: string): void;
  info(message: string): void;
  warn(message: string): void;
  error(message: string): void;
}

/** As long as nobody listens. */
export const silent: Log = { debug() {}, info() {}, warn() {}, error() {} };
