/**
 * The lower bound: a semaphore with nothing but a counter and a ring buffer of resolvers. No timeouts, keys, weights,
 * signals or statistics.
 */
export class RingSemaphore {
  #free: number;
  #ring: Array<(() => void) | undefined> = new Array(16);
  #head = 0;
  #waiting = 0;

  constructor(limit: number) {
    this.#free = limit;
  }

  tryAcquire(): boolean {
    if (this.#free === 0) return false;
    this.#free--;
    return true;
  }

  acquire(): Promise<void> {
    return new Promise((resolve) => {
      if (this.tryAcquire()) resolve();
      else this.#push(resolve);
    });
  }

  release(): void {
    if (this.#waiting === 0) {
      this.#free++;
      return;
    }
    const resolve = this.#ring[this.#head];
    this.#ring[this.#head] = undefined;
    this.#head = (this.#head + 1) & (this.#ring.length - 1);
    this.#waiting--;
    resolve?.();
  }

  async run<T>(fn: () => Promise<T>): Promise<T> {
    if (!this.tryAcquire()) await this.acquire();
    try {
      return await fn();
    } finally {
      this.release();
    }
  }

  #push(resolve: () => void): void {
    const { length } = this.#ring;
    if (this.#waiting === length) {
      // Unrolled so that the oldest is at index 0 and the mask of the doubled length holds.
      this.#ring = [...this.#ring.slice(this.#head), ...this.#ring.slice(0, this.#head)];
      this.#ring.length = length * 2;
      this.#head = 0;
    }
    this.#ring[(this.#head + this.#waiting++) & (this.#ring.length - 1)] = resolve;
  }
}
