import { eventsOf, type Log, type Span } from './event.ts';

/** When each worker was stopped, or its event loop was blocked. */
export class Pauses {
  readonly #spans = new Map<string, Span[]>();

  constructor(log: Log) {
    for (const event of [...eventsOf(log, 'paused'), ...eventsOf(log, 'stalled')]) {
      const spans = this.#spans.get(event.worker) ?? [];
      spans.push({ from: event.from, to: event.at });
      this.#spans.set(event.worker, spans);
    }
  }

  of(worker: string): readonly Span[] {
    return this.#spans.get(worker) ?? [];
  }

  /** Whether the worker was paused at some time in the interval. */
  between(worker: string, from: number, to: number): boolean {
    return this.of(worker).some((span) => span.from <= to && span.to >= from);
  }

  /** Whether any process was paused at some time in the interval. */
  anyBetween(from: number, to: number): boolean {
    return [...this.#spans.keys()].some((worker) => this.between(worker, from, to));
  }
}
