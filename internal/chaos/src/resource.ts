/**
 * The resource that the work writes to, outside of all processes. It rejects fencing tokens lower than one that it has
 * seen.
 */
export class FencedResource {
  #highest = -1n;

  /** Returns whether the write is accepted. */
  write(fencing: string | undefined): boolean {
    const token = fencing === undefined ? -1n : BigInt(fencing);
    if (token < this.#highest) return false;
    this.#highest = token;
    return true;
  }
}
