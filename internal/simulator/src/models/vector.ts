import type { Limit, LimitFactory, Sample } from '@headgate/core';

/**
 * The adaptive concurrency of Vector, a log router. Raises the limit by one per round trip while it is fully used and
 * round trips are not above their mean. Lowers it by a tenth when round trips are far above their mean or a request was
 * dropped.
 */
export const vector: LimitFactory = { create: () => new Vector() };

class Vector implements Limit {
  limit = 1;
  #mean = 0;
  #variance = 0;
  #next = 0;
  #sum = 0;
  #count = 0;
  #reached = false;
  #dropped = false;

  sample({ rtt, inflight, outcome, now }: Sample): void {
    if (outcome === 'dropped') this.#dropped = true;
    else {
      this.#sum += rtt;
      this.#count++;
    }
    if (inflight >= Math.floor(this.limit)) this.#reached = true;
    if (now < this.#next) return;
    this.#adjust();
    this.#next = now + this.#mean;
    this.#sum = 0;
    this.#count = 0;
    this.#reached = false;
    this.#dropped = false;
  }

  #adjust(): void {
    const rtt = this.#count > 0 ? this.#sum / this.#count : this.#mean;
    const isFar =
      this.#mean > 0 && rtt >= this.#mean + Math.max(2.5 * Math.sqrt(this.#variance), 1);
    if (this.#dropped || isFar) this.limit = Math.max(1, Math.floor(this.limit * 0.9));
    else if (this.#reached && (this.#mean === 0 || rtt <= this.#mean + 1e-6)) this.limit++;
    const change = rtt - this.#mean;
    if (this.#mean === 0) this.#mean = rtt;
    else {
      this.#mean += 0.4 * change;
      this.#variance = 0.6 * (this.#variance + 0.4 * change * change);
    }
  }
}
