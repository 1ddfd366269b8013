import type { Event, Log } from './event.ts';

type About = Pick<Log, 'lease' | 'certain' | 'maxRecovery'>;

/** Records all events of one round. */
export class EventLog {
  readonly #events: Event[] = [];
  readonly #about: About;

  constructor({ lease, certain, maxRecovery }: About) {
    this.#about = { lease, certain, maxRecovery };
  }

  note(event: Event): void {
    this.#events.push(event);
  }

  /** The events that concern a limit, in order. */
  of(limit: number): Log {
    const events = this.#events
      .filter((event) => !('limit' in event) || event.limit === limit)
      .sort((a, b) => a.at - b.at);
    return { limit, ...this.#about, events };
  }

  /** One JSON line per event. */
  toString(): string {
    const events = [...this.#events].sort((a, b) => a.at - b.at);
    return events.map((event) => JSON.stringify(event)).join('\n');
  }

  /** How often each fault was injected. */
  faults(): Map<string, number> {
    const counts = new Map<string, number>();
    for (const event of this.#events) {
      if (event.kind === 'fault') counts.set(event.name, (counts.get(event.name) ?? 0) + 1);
    }
    return counts;
  }
}
