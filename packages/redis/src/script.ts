import { createHash } from 'node:crypto';
import type { Connection } from './connection.ts';

/** A script that is sent in full the first time, and by its hash afterwards. */
export class Script {
  readonly #source: string;
  readonly #sha: string;

  constructor(source: string) {
    this.#source = source;
    this.#sha = createHash('sha1').update(source).digest('hex');
  }

  run(connection: Connection, key: string, args: string[]): Promise<unknown> {
    return connection.evalsha(this.#sha, key, args).catch((error: unknown) => {
      if (!isUnknown(error)) throw error;
      return connection.eval(this.#source, key, args);
    });
  }
}

/** Whether the server has answered NOSCRIPT. Only then is it certain that the script has not run. */
function isUnknown(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('NOSCRIPT');
}
