import type { Rejection } from '../semaphore/rejection.ts';
import { warnOnce } from '../warning.ts';

/** Number of rejections within the window that is reported. The tests of an app, and short bursts, cause fewer. */
const MIN_REJECTIONS = 100;

const WINDOW_MS = 60_000;

/** Reports once per limit that it sheds load: nothing else does, since a rejection runs no code of the app. */
export class SheddingWarning {
  #count = 0;
  #startedAt = 0;

  /** Counts a response with this rejection. */
  count({ reason, limitName, queued }: Rejection, now: number): void {
    if (reason === 'closed' || reason === 'store') return;
    if (now - this.#startedAt > WINDOW_MS) this.#count = 0;
    if (this.#count === 0) this.#startedAt = now;
    if (++this.#count < MIN_REJECTIONS) return;
    this.#count = 0;
    const seconds = Math.ceil((now - this.#startedAt) / 1000);
    warnOnce(
      'HEADGATE_SHEDDING',
      `limit "${limitName}" rejects requests with 503: ${MIN_REJECTIONS} within ${seconds} s, the latest with the reason "${reason}" and ${queued} queued; stats() has the total, and troubleshooting.md the causes`,
      limitName,
    );
  }
}
