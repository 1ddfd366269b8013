import { HeadgateError } from '../errors.ts';
import type { Demands } from '../gate/demands.ts';
import type { Guard } from '../gate/options.ts';
import type { Outcome } from '../limits/limit.ts';
import type { BasePermit } from '../semaphore/permit.ts';
import { AbandonedRequest, type AbandonedRequests } from './abandoned-requests.ts';
import type { ClientDeadline } from './client-deadline.ts';
import { warnOfNestedWait } from './nested-waits.ts';
import type { Ending } from './observed-request.ts';
import { RequestAtGate } from './request-at-gate.ts';
import type { SlowClients } from './slow-clients.ts';

/** The settings of a middleware that decide for how long a request holds its permit. */
export interface HandlingSettings {
  readonly guard: Guard | undefined;
  readonly onDisconnect: 'wait' | 'release';
  /** The requests whose clients have left, where the framework does not report when a handler is done. */
  readonly abandoned: AbandonedRequests;
  /** The kind of work that a request of the framework does, if known. Must not throw. */
  kindOf(request: never): string | undefined;
  /** The method and path of a request of the framework. Must not throw. */
  targetOf(request: never): string;
  /**
   * Whether the gate has a default limit, which does not count requests that wait for their client or for an inner
   * limit.
   */
  readonly isDefault: boolean;
  /** Whether another limit counts them. */
  readonly countsWaiting: boolean;
  /** Defined if the gate has a default limit, except on Workers. */
  readonly slowClients?: SlowClients | undefined;
}

/** A request at one gate, from its admission on: it holds its permit until its handler is done and the response has ended. */
export abstract class HandledRequest extends RequestAtGate {
  declare protected readonly settings: HandlingSettings;
  declare readonly outer: HandledRequest | undefined;
  /** When the client stops waiting, if it has said so. */
  protected clientDeadline: ClientDeadline | undefined = undefined;
  /** Determines the outcome for an adaptive limit. */
  outcomeOf: ((permit: BasePermit) => Outcome) | undefined = undefined;
  /** The framework's request, which determines the kind. */
  httpRequest: unknown = undefined;
  /** The previous one of the requests whose response has not begun, behind a default limit. */
  declare older: HandledRequest | undefined;
  /** The next one of them. */
  declare newer: HandledRequest | undefined;
  /** Number of handlers that are running, here or in inner middleware. */
  private runningHandlers = 0;
  /** What the framework has reported: nothing, a handler, or that none will run. */
  private reported: 'nothing' | 'handler' | 'none' = 'nothing';
  /** Number of tracked promises that have been counted as settled before they settle. */
  private ignoredPromises = 0;
  private hasResponseEnded = false;
  private wasTooLate = false;
  /** Whether the response shows that handlers like this one do not hang. */
  protected isAnswered = true;

  /** Calls the rest of the app, which may call itself on the permit. */
  abstract run<R>(work: () => R): R;
  /** Called when the response has ended although the request has not been admitted. */
  protected abstract withdraw(): void;

  /** Called when the request is queued at an inner limit. */
  queuedInside(inner: Demands): void {
    const { permit, demands, settings } = this;
    if (settings.isDefault) permit?.pauseCounting();
    if (settings.countsWaiting && permit?.released === false) warnOfNestedWait(inner, demands);
  }

  /** Called when an inner limit has rejected the request. Its response then says nothing about the handler. */
  rejectedInside(): void {
    this.isAnswered = false;
    if (!this.settings.isDefault) return;
    this.permit?.countAgain();
    this.outcomeOf = () => 'ignored';
  }

  /** Holds the permit, and those of outer middleware, until this work of a handler has settled too. */
  trackHandler<P extends PromiseLike<unknown>>(work: P): P {
    for (let gated: HandledRequest | undefined = this; gated !== undefined; gated = gated.outer) {
      gated.reported = 'handler';
      gated.runningHandlers++;
    }
    // Not awaited, since that would delay the middleware around this one.
    const settled = () => this.settled();
    work.then(settled, settled);
    return work;
  }

  /** The handler will respond from a callback, so its promise, which settles with the response, shows nothing. */
  respondsLater(): void {
    if (this.runningHandlers === 0) return;
    this.settled();
    this.ignoredPromises++;
  }

  /** Called when the client has left before a middleware inside has admitted the request. */
  handlerWillNotRun(): void {
    if (this.reported !== 'nothing') return;
    this.reported = 'none';
    this.releaseIfDone();
  }

  /**
   * Called when the response has ended. If the request is queued, it leaves the queue. Otherwise its permit returns at once
   * if the response is complete and no handler is known to run. If the client has left:
   *
   * - at once, if `onDisconnect` is `release`;
   * - when `AbandonedRequests` finds that it may, if no promise shows when the handler is done;
   * - when the handler's promise has settled, or the handler has ended the closed response.
   */
  ended(ending: Ending): void {
    const { permit, settings } = this;
    if (this.hasResponseEnded) return;
    this.hasResponseEnded = true;
    this.wasTooLate = ending === 'unanswered' || this.isLate;
    this.clientDeadline?.stop();
    // A disconnect in the middle of the body does not change for how long the handler counts.
    if (ending !== 'truncated') settings.slowClients?.delete(this);
    if (permit === undefined) return this.withdraw();
    if (ending !== 'complete') {
      permit.abort(new HeadgateError('ERR_HEADGATE_DISCONNECTED', 'the client has disconnected'));
      if (settings.onDisconnect === 'release') return permit.release('ignored');
      if (this.reported === 'nothing' || this.hasOnlySettled) return this.holdAbandoned(permit);
    }
    const { abandoned } = settings;
    const isAnswered = ending === 'complete' && this.isAnswered;
    // An error shows nothing: the request may have been refused before it came to what hangs.
    if (isAnswered && abandoned.size > 0 && !this.exchange.hasFailed)
      abandoned.answered(this.work, this.number);
    this.releaseIfDone();
    if (ending !== 'complete' && !permit.released) this.holdUntilHandedOver(permit);
  }

  /**
   * Whether the client has left, or its deadline has passed without a response. Once the response has ended: whether
   * that had happened before.
   */
  override gone(): boolean {
    return this.hasResponseEnded ? this.wasTooLate : this.exchange.gone || this.isLate;
  }

  /** In the queue, `queueTimeout` rejects the request at its deadline, since the client may still read that. */
  private get isLate(): boolean {
    return this.permit !== undefined && this.clientDeadline?.isMissed === true;
  }

  /** The kind of work, if known. */
  get kind(): string | undefined {
    const { permit, settings, httpRequest } = this;
    return permit?.kind ?? settings.kindOf(httpRequest as never);
  }

  /** The body of the response has begun. */
  bodyBegan(): void {
    const { permit, outcomeOf } = this;
    if (permit !== undefined && outcomeOf?.(permit) === 'ok') permit.mark();
  }

  /** Computes the outcome now, and drops the references to the framework's request and response. */
  fixOutcome(): void {
    const { permit, outcomeOf } = this;
    if (permit !== undefined && outcomeOf !== undefined) {
      const outcome = outcomeOf(permit);
      this.outcomeOf = () => outcome;
    }
    this.httpRequest = undefined;
  }

  /** Whether the handler has settled, but has not begun to respond: its callbacks may work on. */
  private get hasOnlySettled(): boolean {
    return this.reported === 'handler' && this.runningHandlers === 0 && !this.exchange.headersSent;
  }

  /** What the handler does: its kind or, if unknown, the method and path. */
  private get work(): string {
    return this.kind ?? this.settings.targetOf(this.httpRequest as never);
  }

  /** Called when the client has left and no promise shows when the handler is done. */
  private holdAbandoned(permit: BasePermit): void {
    const { exchange, demands, work, number } = this;
    const seemsToStop = exchange.seemsToStop || this.readsSignal;
    const release = () => this.endAbandoned(permit, 'ignored');
    const request = new AbandonedRequest(demands, work, number, seemsToStop, release);
    const done = () => this.endAbandoned(permit, this.outcomeOf?.(permit));
    this.settings.abandoned.hold(request, permit, exchange, done);
  }

  /** Whether the handler has taken the signal that aborts at a disconnect, from this limit or an outer one. */
  private get readsSignal(): boolean {
    for (let gated: HandledRequest | undefined = this; gated !== undefined; gated = gated.outer)
      if (gated.permit?.hasSignal) return true;
    return false;
  }

  private endAbandoned(permit: BasePermit, outcome: Outcome | undefined): void {
    // Otherwise an inner limit tracks a handler now, whose promise releases the permit.
    if (this.runningHandlers === 0) permit.end(outcome);
  }

  /**
   * Called when the client has left before the handler's promise has settled. The promise may wait for the end of the
   * closed response and never settle, so the permit is released once the handler has ended the response or piped to it.
   */
  private holdUntilHandedOver(permit: BasePermit): void {
    permit.countAbandoned();
    this.exchange.whenHandedOver(() => permit.end('ignored'));
  }

  private settled(): void {
    if (this.ignoredPromises > 0) {
      this.ignoredPromises--;
      return;
    }
    for (let gated: HandledRequest | undefined = this; gated !== undefined; gated = gated.outer) {
      gated.runningHandlers--;
      gated.releaseIfDone();
    }
  }

  private releaseIfDone(): void {
    const { permit } = this;
    if (this.hasResponseEnded && this.runningHandlers === 0 && permit?.released === false)
      permit.end(this.outcomeOf?.(permit) ?? 'ok');
  }
}
