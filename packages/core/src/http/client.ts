import type { Clock } from '../clock.ts';
import type { HttpGate } from './http-gate.ts';
import type { Visit } from './visit.ts';

/** How a response came to its end: sent whole, cut off amid its body, or cut off before its head. */
export type Ending = 'finished' | 'begun' | 'unanswered';

/** The other end of a request, as far as an adapter can see it; one for all middleware that the request passes. */
export abstract class Client {
  /** The latest visit; the earlier ones hang on its `outer`. */
  visits: Visit | undefined = undefined;

  /** Whether nobody is there any more to answer to. */
  abstract readonly gone: boolean;
  /** Must call `ended` when the response is over. */
  protected abstract listen(): void;
  /** Calls back when the handler touches the response of a client that has gone, or after so many milliseconds. */
  abstract whenTouched(callback: () => void, clock: Clock, after: number): void;
  /** The request is about to be turned away, and on shutdown the connection to be closed with it. */
  abstract beforeRefusal(hangUp: boolean): void;

  attend(visit: Visit): void {
    const first = this.visits === undefined;
    visit.outer = this.visits;
    this.visits = visit;
    if (first) this.listen();
  }

  /** The visit that holds a permit of this gate. */
  visitAt(http: HttpGate<never>): Visit | undefined {
    let visit = this.visits;
    while (visit !== undefined && (visit.http !== http || visit.permit?.released !== false)) {
      visit = visit.outer;
    }
    return visit;
  }

  ended(ending: Ending): void {
    for (let visit = this.visits; visit !== undefined; visit = visit.outer) visit.ended(ending);
  }
}
