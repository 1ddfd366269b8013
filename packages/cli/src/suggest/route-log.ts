import type { Entry } from './entry.ts';
import { type Suggestion, suggestionOf } from './plateau.ts';
import { Windows } from './windows.ts';

/** The first entries of a route decide how long its windows are. */
const FIRST_ENTRIES = 2_000;
/** The answers that a window should have. With fewer, its rate is chance. */
const ANSWERS_PER_WINDOW = 50;
const MIN_WINDOW_MS = 1_000;
/** Longer windows would hide a short overload. */
const MAX_WINDOW_MS = 20_000;

/** What a log says about one route. */
export class RouteLog {
  requests = 0;
  /** Requests that the server rejected. */
  rejected = 0;
  /** Milliseconds of all requests together. */
  took = 0;
  #includesClient = 0;
  /** Undefined once the windows exist. */
  #first: Entry[] | undefined = [];
  #windows: Windows | undefined;

  add(entry: Entry): void {
    const { status, took, includesClient } = entry;
    this.requests++;
    if (status === 503 || status === 429) {
      this.rejected++;
      return;
    }
    if (includesClient) this.#includesClient++;
    this.took += took;
    if (this.#windows !== undefined) return this.#windows.add(entry);
    this.#first?.push(entry);
    if (this.#first?.length === FIRST_ENTRIES) this.#begin();
  }

  /** The limit for this route; undefined if the log is too short. */
  suggest(): Suggestion | undefined {
    const windows = this.#windows ?? this.#begin();
    windows.end();
    // Some answers come from no upstream, such as cached ones.
    return suggestionOf(windows, this.#includesClient > this.requests / 2);
  }

  #begin(): Windows {
    const first = this.#first ?? [];
    this.#first = undefined;
    let [from, to] = [Infinity, -Infinity];
    for (const { end } of first) [from, to] = [Math.min(from, end), Math.max(to, end)];
    const wanted = (ANSWERS_PER_WINDOW * (to - from)) / Math.max(1, first.length);
    const whole = Math.ceil(wanted / MIN_WINDOW_MS) * MIN_WINDOW_MS;
    const windows = new Windows(Math.min(Math.max(whole || 0, MIN_WINDOW_MS), MAX_WINDOW_MS));
    for (const entry of first) windows.add(entry);
    this.#windows = windows;
    return windows;
  }
}
