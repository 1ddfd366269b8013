const NEWLINE = 0x0a;

/**
 * Counts the requests in the data of a Redis client: arrays of strings, split anywhere. Other protocols are tolerated.
 */
export class RequestCounter {
  /** Number of bytes of a string that are still to come, with its line end. */
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
