const NEWLINE = 0x0a;

/**
 * Counts the requests in the data that a Redis client sends: arrays of strings, which may be split at any byte. Ignores
 * other protocols.
 */
export class RequestCounter {
  /** Number of bytes of the present string that have not arrived yet, including its line end. */
  #skip = 0;
  #line = '';

  /** Returns how many requests begin in this chunk. */
  read(chunk: Buffer): number {
    let count = 0;
    for (let at = 0; at < chunk.length; ) {
      const skipped = Math.min(this.#skip, chunk.length - at);
      this.#skip -= skipped;
      at += skipped;
      if (at === chunk.length) break;
      const end = chunk.indexOf(NEWLINE, at);
      this.#line += chunk.toString('latin1', at, end < 0 ? chunk.length : end);
      if (end < 0) break;
      at = end + 1;
      if (this.#line.startsWith('*')) count += 1;
      const length = /^\$(\d+)/.exec(this.#line)?.[1];
      if (length !== undefined) this.#skip = Number(length) + 2;
      this.#line = '';
    }
    return count;
  }
}
