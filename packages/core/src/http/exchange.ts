import { type Admission, unlimited } from './admission.ts';
import type { HandledRequest } from './handled-request.ts';
import { type Ending, ObservedRequest } from './observed-request.ts';
import { OwnCalls } from './own-calls.ts';

/** The async context of a handler. It may outlive the request, in a connection that the handler has opened. */
interface Scope {
  /** Undefined once the response is complete: requests that the handler makes later need their own permits. */
  exchange: Exchange | undefined;
}

export const ownCalls = new OwnCalls<Scope>();

/** A request, its response, and the gates that it has come to. All middleware of the request use the same instance. */
export abstract class Exchange extends ObservedRequest {
  /** The request at the innermost middleware. Its `outer` links to those of the enclosing ones. */
  latest: HandledRequest | undefined = undefined;
  /** The kind of work, as an inner limit knows it: a limit in front of the framework does not see the route. */
  kindInside: (() => string | undefined) | undefined = undefined;
  /** The scope of the handler. */
  scope: Scope | undefined = undefined;
  /** The scope in which the app has made this inner request; undefined unless that is certain. */
  caller: Scope | undefined = undefined;

  /** Whether the request is queued at its innermost limit. */
  get isQueued(): boolean {
    return this.latest?.isQueued ?? false;
  }

  /** Finds the value of `caller`. */
  findCaller(): Scope | undefined {
    return ownCalls.current();
  }

  /** The request whose handler has made this inner request; undefined once that request is done. */
  private get parent(): Exchange | undefined {
    const { caller } = this;
    // A handler may have started a timer, which would otherwise keep the permit of a client that has left.
    if (caller?.exchange?.isDone) caller.exchange = undefined;
    return caller?.exchange;
  }

  /** Whether the request has ended at all gates that have admitted it. */
  private get isDone(): boolean {
    for (let request = this.latest; request !== undefined; request = request.outer)
      if (request.permit?.isOwnerDone === false) return false;
    return true;
  }

  /** Number of requests around this inner request. */
  get depth(): number {
    let depth = 0;
    for (let outer = this.parent; outer !== undefined; outer = outer.parent) depth++;
    return depth;
  }

  /** The requests around this inner request, at each of their gates. */
  *outers(): Generator<HandledRequest> {
    for (let outer = this.parent; outer !== undefined; outer = outer.parent)
      for (let request = outer.latest; request !== undefined; request = request.outer)
        yield request;
  }

  /** The admission by the innermost limit. A middleware whose limits do not apply to the request uses it. */
  get admission(): Admission {
    return this.latest?.admission ?? unlimited;
  }

  /** Makes the request at one gate the innermost one of this exchange. The first time, starts to listen for the end. */
  observe(request: HandledRequest): void {
    const first = this.latest === undefined;
    this.latest = request;
    if (first) this.listen();
  }

  /** Reports the end of the response to each gate of the request. */
  override ended(ending: Ending): void {
    for (let request = this.latest; request !== undefined; request = request.outer)
      request.ended(ending);
    if (ending === 'complete' && this.scope !== undefined) this.scope.exchange = undefined;
  }
}
