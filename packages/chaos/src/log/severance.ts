import { eventsOf, type Log, type Span } from './event.ts';

/**
 * Who could not know that the server had ended their connections: nothing reached them. A store that takes the end of a
 * connection for the end of its process gives what they hold to others, while they believe in their leases.
 */
export class Severance {
  readonly #spans = new Map<string, Span[]>();

  constructor(log: Log) {
    const ends = eventsOf(log, 'disconnected');
    for (const deaf of eventsOf(log, 'deaf')) {
      const met = ends.filter(({ worker = deaf.worker, from, at }) => {
        return worker === deaf.worker && from <= deaf.at && at >= deaf.from;
      });
      // What they hold ends by their own clocks a lease later.
      const spans = met.map(({ from, at }) => ({ from, to: at + log.lease }));
      this.#spans.set(deaf.worker, [...(this.#spans.get(deaf.worker) ?? []), ...spans]);
    }
  }

  of(worker: string, now: number): boolean {
    return (this.#spans.get(worker) ?? []).some(({ from, to }) => from <= now && now <= to);
  }
}
