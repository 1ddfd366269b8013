import type { Clock } from '../clock.ts';
import type { Visit } from './visit.ts';

/** How a response came to its end: sent whole, cut off amid its body, or cut off before its head. */
export type Ending = 'complete' | 'truncated' | 'unanswered';

/** The other end of a request, as far as an adapter can see it; one for all middleware that the request passes. */
export abstract class Client {
  /** The latest visit; the earlier ones hang on its `outer`. */
  latest: Visit | undefined = undefined;

  /** Whether nobody is there any more to answer to. */
  abstract readonly gone: boolean;
  /** Must call `ended` when the response is over. */
  protected abstract listen(): void;
  /** Calls back when the handler touches the response of a client that has gone, or after so many milliseconds. */
  abstract whenTouched(callback: () => void, clock: Clock, after: number): void;
  /** The request is rejected, and on shutdown its connection closed. */
  abstract rejected(hangUp: boolean, clock: Clock): void;

  attend(visit: Visit): void {
    const first = this.latest === undefined;
    this.latest = visit;
    if (first) this.listen();
  }

  ended(ending: Ending): void {
    for (let visit = this.latest; visit !== undefined; visit = visit.outer) visit.ended(ending);
  }
}
