import { MeasuredCapacity, type MeasuredLimit } from '@headgate/core/engine';
import { quantile } from '../load/quantile.ts';
import { CLIENT_LEFT, type Entry } from './formats.ts';

/** If durations include slow clients, the median of this many answers in a row counts. */
const BATCH = 25;

/** What a log says about one route. */
export class RouteLog {
  requests = 0;
  /** Requests that the server rejected. */
  rejected = 0;
  /** Milliseconds of all requests together. */
  took = 0;
  readonly #capacity = new MeasuredCapacity();
  #batch: Entry[] = [];

  add(entry: Entry): void {
    const { status, took } = entry;
    this.requests++;
    if (status === 503 || status === 429) {
      this.rejected++;
      return;
    }
    this.took += took;
    if (status !== CLIENT_LEFT) this.#batch.push(entry);
    if (this.#batch.length === BATCH) this.#count();
  }

  /** The limit for this route; undefined if the log is too short, or an overload from its start on. */
  suggest(): MeasuredLimit | undefined {
    this.#count();
    return this.#capacity.limit;
  }

  #count(): void {
    const batch = this.#batch;
    this.#batch = [];
    // Some answers come from no upstream, such as cached ones.
    const clients = batch.filter(({ includesClient }) => includesClient).length;
    const times = batch.map(({ took }) => took);
    const median = clients > batch.length / 2 ? quantile(times, 0.5) : undefined;
    for (const { end, took } of batch) this.#capacity.add(end, median ?? took);
  }
}
