import type { Event } from './log/event.ts';

/** Which workers hold permits and which wait, according to the latest events; used to choose targets of faults. */
export class WorkerActivity {
  readonly #held = new Map<string, number>();
  readonly #waiting = new Map<string, number>();

  holds(worker: string): boolean {
    return (this.#held.get(worker) ?? 0) > 0;
  }

  waits(worker: string): boolean {
    return (this.#waiting.get(worker) ?? 0) > 0;
  }

  update(event: Event): void {
    if (!('call' in event)) return;
    const { worker, kind } = event;
    if (kind === 'requested') add(this.#waiting, worker, 1);
    if (kind === 'granted' || kind === 'rejected' || kind === 'withdrawn') {
      add(this.#waiting, worker, -1);
    }
    if (kind === 'granted') add(this.#held, worker, 1);
    if (kind === 'released') add(this.#held, worker, -1);
  }
}

function add(counts: Map<string, number>, worker: string, by: number): void {
  counts.set(worker, (counts.get(worker) ?? 0) + by);
}
