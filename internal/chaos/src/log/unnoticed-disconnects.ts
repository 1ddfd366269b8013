import { eventsOf, type Log, type Span } from './event.ts';

/**
 * The workers that could not notice that the server had ended their connections, because no message reached them. If a
 * store treats the end of a connection as the end of its process, it grants their permits to others while these workers
 * still trust their leases.
 */
export class UnnoticedDisconnects {
  readonly #spans = new Map<string, Span[]>();

  constructor(log: Log) {
    const ends = eventsOf(log, 'disconnected');
    for (const missed of eventsOf(log, 'missedMessages')) {
      const meanwhile = ends.filter(({ worker = missed.worker, from, at }) => {
        return worker === missed.worker && from <= missed.at && at >= missed.from;
      });
      // By the workers' own clocks, their leases end one lease later.
      const spans = meanwhile.map(({ from, at }) => ({ from, to: at + log.lease }));
      this.#spans.set(missed.worker, [...(this.#spans.get(missed.worker) ?? []), ...spans]);
    }
  }

  of(worker: string, now: number): boolean {
    return (this.#spans.get(worker) ?? []).some(({ from, to }) => from <= now && now <= to);
  }
}
