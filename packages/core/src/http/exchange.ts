import type { Clock } from '../clock.ts';
import type { GatedRequest } from './gated-request.ts';

/** How a response ended: sent completely, cut off within its body, or cut off before its head. */
export type Ending = 'complete' | 'truncated' | 'unanswered';

/**
 * A request and its response, as far as an adapter can observe them; one instance for all middleware of the request.
 */
export abstract class Exchange {
  /** The innermost gated request; `outer` links to the ones before it. */
  latest: GatedRequest | undefined = undefined;

  /** Whether the client has disconnected. */
  abstract readonly gone: boolean;
  /** Must arrange that `ended` is called when the response ends. */
  protected abstract listen(): void;
  /** Calls back once the handler touches the response of a disconnected client, or after this many milliseconds. */
  abstract whenTouched(callback: () => void, clock: Clock, after: number): void;
  /** Called when the request is rejected; `hangUp` closes its connection after the response, as on shutdown. */
  abstract rejected(hangUp: boolean, clock: Clock): void;

  attend(gated: GatedRequest): void {
    const first = this.latest === undefined;
    this.latest = gated;
    if (first) this.listen();
  }

  ended(ending: Ending): void {
    for (let gated = this.latest; gated !== undefined; gated = gated.outer) gated.ended(ending);
  }
}
