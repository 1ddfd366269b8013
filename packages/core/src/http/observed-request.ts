import type { Clock } from '../clock.ts';

/** How a response ended: sent completely, cut off within its body, or cut off before its header. */
export type Ending = 'complete' | 'truncated' | 'unanswered';

/** A request and its response, as far as an adapter can observe them. What it cannot observe, it leaves as it is here. */
export abstract class ObservedRequest {
  /** Whether the client has disconnected. */
  abstract readonly gone: boolean;
  /** Whether the request is queued at its innermost limit. */
  abstract readonly isQueued: boolean;
  /** Whether the head of the response has been sent. */
  abstract readonly headersSent: boolean;
  /** Must arrange that `ended` is called when the response ends. */
  protected abstract listen(): void;
  /** Called when the response has ended. */
  abstract ended(ending: Ending): void;

  /** Whether the status of the response is that of an error. False if unknown. */
  get hasFailed(): boolean {
    return false;
  }

  /**
   * Whether the handler has read everything that has arrived of the request's body and is waiting for the rest. False
   * if unknown.
   */
  get awaitsBody(): boolean {
    return false;
  }

  /** Calls back just before the handler reads the end of the body. Needed only if `awaitsBody` may be true. */
  whenBodyEnds(_callback: () => void): void {}

  /** Calls back when the first part of the response's body is sent, or the response ends without one. */
  whenBodyBegins(_callback: () => void): void {}

  /** Called when the request is queued. `answered` is pending until it is admitted or rejected, or its client has left. */
  queued(_answered: Promise<void>): void {}

  /** Whether the handler of a client that has just left probably stops: it has begun to respond, or listens for that. */
  get seemsToStop(): boolean {
    return this.headersSent;
  }

  /**
   * Calls back when the handler of a disconnected client is done, if it shows that. Needed only if the framework does
   * not report it.
   */
  whenDone(_callback: () => void): void {}

  /**
   * Calls back when the handler of a disconnected client reads whether the client is still connected, perhaps repeatedly.
   */
  whenDisconnectRead(_callback: () => void): void {}

  /**
   * Calls back when the handler of a disconnected client has ended the response or pipes a stream to it, perhaps
   * repeatedly. From then on, the handler's promise may wait for a `finish` event that never comes.
   */
  whenHandedOver(_callback: () => void): void {}

  /**
   * Called when the request is rejected. If `hangUp` is set, as on shutdown, closes the connection after the response.
   */
  rejected(_hangUp: boolean, _clock: Clock): void {}
}
