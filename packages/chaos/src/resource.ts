/** What the work is done to, outside of all processes: it refuses a fencing token below one that it has seen. */
export class FencedResource {
  #highest = -1n;

  /** Whether the write is accepted. */
  write(fencing: string | undefined): boolean {
    const token = fencing === undefined ? -1n : BigInt(fencing);
    if (token < this.#highest) return false;
    this.#highest = token;
    return true;
  }
}
