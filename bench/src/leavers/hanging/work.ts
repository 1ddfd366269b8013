import { clock, delay } from './scaled-time.ts';

/** The path whose handlers wait for the dependency. */
export const SLOW = '/slow';
export const FAST = '/fast';

export const paths = [SLOW, FAST];

const FAST_MS = 30;
/** How long the dependency takes while it does not hang. */
const USUAL_MS = 50;

/** What handlers wait for: a dependency, which may hang. Counts the handlers that wait for it at once. */
export class Work {
  /** How long the dependency takes, in milliseconds. */
  duration = USUAL_MS;
  mostAtOnce = 0;
  readonly #handlers = new Set<{ readonly ends: number }>();

  /** Resolves when a handler for this URL has what it responds with. */
  async for(url: string | undefined): Promise<void> {
    if (url === FAST) return delay(FAST_MS);
    const now = clock.now();
    const handler = { ends: now + this.duration };
    this.#handlers.add(handler);
    // On a busy machine, timers are late.
    const inTime = [...this.#handlers].filter(({ ends }) => ends > now);
    this.mostAtOnce = Math.max(this.mostAtOnce, inTime.length);
    await delay(this.duration);
    this.#handlers.delete(handler);
  }

  /** The dependency no longer hangs for new requests. Resolves when no handler waits for it. */
  async end(): Promise<void> {
    this.duration = USUAL_MS;
    while (this.#handlers.size > 0) await delay(USUAL_MS);
  }
}
