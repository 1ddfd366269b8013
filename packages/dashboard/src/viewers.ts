import type { Snapshot } from './messages.ts';
import type { Sink } from './page-request.ts';
import type { Sampler } from './sampler.ts';

/** Maximum number of open streams. */
const MAX_VIEWERS = 1_000;

/** Maximum number of bytes that a viewer may leave unread. */
const MAX_PENDING = 256 * 1024;

/** Milliseconds after which a stream ends, so that its browser opens another and is authorized again. */
const MAX_AGE_MS = 900_000;

/** The pages that receive samples through a stream. */
export class Viewers {
  /** When each has joined. */
  readonly #joinedAt = new Map<Sink, number>();
  #unwatch = () => {};

  constructor(private readonly sampler: Sampler) {}

  get isFull(): boolean {
    return this.#joinedAt.size >= MAX_VIEWERS;
  }

  /** Sends each sample to the viewer from now on. Returns a function that removes the viewer. */
  join(viewer: Sink, now: number): () => void {
    if (this.#joinedAt.size === 0) {
      this.#unwatch = this.sampler.watch((snapshot) => this.#send(snapshot));
    }
    this.#joinedAt.set(viewer, now);
    return () => this.#leave(viewer);
  }

  close(): void {
    for (const viewer of [...this.#joinedAt.keys()]) {
      this.#leave(viewer);
      viewer.end();
    }
  }

  #leave(viewer: Sink): void {
    this.#joinedAt.delete(viewer);
    if (this.#joinedAt.size === 0) this.#unwatch();
  }

  #send(snapshot: Snapshot): void {
    // Once for all viewers.
    const text = message(snapshot);
    for (const [viewer, joinedAt] of [...this.#joinedAt]) {
      if (viewer.pending > MAX_PENDING) {
        this.#leave(viewer);
        viewer.destroy();
      } else {
        viewer.write(text);
        if (snapshot.now - joinedAt < MAX_AGE_MS) continue;
        this.#leave(viewer);
        viewer.end();
      }
    }
  }
}

/** A message of a stream of server-sent events. */
export function message(value: unknown): string {
  return `data: ${JSON.stringify(value)}\n\n`;
}
