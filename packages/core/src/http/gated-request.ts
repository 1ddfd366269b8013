import type { Clock } from '../clock.ts';
import { HeadgateError } from '../errors.ts';
import type { Demand, Demands } from '../gate/demands.ts';
import type { InternalGate } from '../gate/gate.ts';
import type { Guard } from '../gate/options.ts';
import type { Outcome } from '../limits/limit.ts';
import type { BasePermit } from '../semaphore/permit.ts';
import type { Rejection } from '../semaphore/rejection.ts';
import { Waiter } from '../semaphore/waiter.ts';
import { AbandonedRequest, type AbandonedRequests } from './abandoned-requests.ts';
import { type Admission, admissionOf, unlimited } from './admission.ts';
import { ClientDeadline } from './client-deadline.ts';
import { InnerRequests } from './inner-requests.ts';
import { warnOfInnerWait, warnOfNestedWait } from './nested-waits.ts';
import { type Ending, ObservedRequest } from './observed-request.ts';
import { OwnCalls } from './own-calls.ts';
import type { SlowClients } from './slow-clients.ts';

/** The settings of a middleware that its gated requests need. */
export interface GatedRequestSettings {
  readonly gate: Pick<InternalGate, 'request' | 'withdraw'>;
  readonly guard: Guard | undefined;
  readonly clock: Clock;
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

/** The async context of a handler. It may outlive the request, in a connection that the handler has opened. */
interface Scope {
  /** Undefined once the response is complete: nothing waits for what the handler still calls. */
  exchange: Exchange | undefined;
}

export const ownCalls = new OwnCalls<Scope>();

/** A request, its response, and the gates that it has come to. All middleware of the request use the same instance. */
export abstract class Exchange extends ObservedRequest {
  /** The gated request of the innermost middleware. Its `outer` links to those of the enclosing ones. */
  latest: GatedRequest | undefined = undefined;
  /** The kind of work, as an inner limit knows it: a limit in front of the framework does not see the route. */
  kindInside: (() => string | undefined) | undefined = undefined;
  /** The scope of the handler. */
  scope: Scope | undefined = undefined;
  /** The scope in which the app has made this request, if it is certain that it has: an inner request. */
  caller: Scope | undefined = undefined;

  /** Whether the request is queued at its innermost limit. */
  get isQueued(): boolean {
    return this.latest?.isQueued ?? false;
  }

  /** The scope in which the app has made this request, if that is certain. */
  findCaller(): Scope | undefined {
    return ownCalls.current();
  }

  /** The request whose handler has made this inner request; undefined once that request is done. */
  private get maker(): Exchange | undefined {
    const { caller } = this;
    // A handler may have started a timer, which would otherwise keep the permit of a client that has left.
    if (caller?.exchange?.isDone) caller.exchange = undefined;
    return caller?.exchange;
  }

  /** Whether the request has ended at all gates that have admitted it. */
  private get isDone(): boolean {
    for (let gated = this.latest; gated !== undefined; gated = gated.outer)
      if (gated.permit?.hasEnded === false) return false;
    return true;
  }

  /** Number of requests around this inner request. */
  get depth(): number {
    let depth = 0;
    for (let outer = this.maker; outer !== undefined; outer = outer.maker) depth++;
    return depth;
  }

  /** The requests around this inner request, at each of their gates. */
  *outers(): Generator<GatedRequest> {
    for (let outer = this.maker; outer !== undefined; outer = outer.maker)
      for (let gated = outer.latest; gated !== undefined; gated = gated.outer) yield gated;
  }

  /** The admission by the innermost limit. A middleware whose limits do not apply to the request uses it. */
  get admission(): Admission {
    return this.latest?.admission ?? unlimited;
  }

  /** Makes the request at one gate the innermost one of this exchange. The first time, starts to listen for the end. */
  observe(gated: GatedRequest): void {
    const first = this.latest === undefined;
    this.latest = gated;
    if (first) this.listen();
  }

  /** Reports the end of the response to each gate of the request. */
  override ended(ending: Ending): void {
    for (let gated = this.latest; gated !== undefined; gated = gated.outer) gated.ended(ending);
    if (ending === 'complete' && this.scope !== undefined) this.scope.exchange = undefined;
  }
}

/** Number of requests admitted by any middleware. */
let admissions = 0;

/** A request at one gate: it waits in the queue, holds its permit until the response ends, or is rejected. */
export class GatedRequest extends Waiter {
  /** The permit, once the request has been admitted. */
  permit: BasePermit | undefined = undefined;
  /** Why the request was rejected, once it has been. */
  rejection: Rejection | undefined = undefined;
  /** Whether the client disconnected while the request was queued. No response is then sent, and no handler runs. */
  disconnected = false;
  /**
   * Pending while the request is queued; undefined if it was never queued. Awaiting it keeps the request's async
   * context.
   */
  answered: Promise<void> | undefined = undefined;
  /** When the client stops waiting, if it has said so. */
  private clientDeadline: ClientDeadline | undefined = undefined;
  /** Determines the outcome for an adaptive limit. */
  outcomeOf: ((permit: BasePermit) => Outcome) | undefined = undefined;
  /** The framework's request, which determines the kind. */
  httpRequest: unknown = undefined;
  /** Requests that were admitted later have a higher number. */
  number = 0;
  /** The inner requests that run on the permit; undefined if there were none. */
  private inner: InnerRequests | undefined = undefined;
  // Its neighbours among the requests whose response has not begun, behind a default limit.
  declare older: GatedRequest | undefined;
  declare newer: GatedRequest | undefined;
  /** Number of handlers that are running, here or in inner middleware. */
  private runningHandlers = 0;
  /** Whether `runningHandlers` is known: the framework has reported a handler, or no handler will run. */
  private knowsHandlers = false;
  /** Whether the framework has reported a handler. */
  private isTracked = false;
  /** Number of tracked promises that have been counted as settled before they settle. */
  private ignoredPromises = 0;
  private hasEnded = false;
  private wasTooLate = false;
  /** Whether the response shows that handlers like this one do not hang. */
  protected isAnswered = true;
  private answer: (() => void) | undefined = undefined;

  /** The same request at an earlier middleware. */
  readonly outer: GatedRequest | undefined;

  constructor(
    private readonly settings: GatedRequestSettings,
    /** The request and its response. */
    readonly exchange: Exchange,
    /** What the request needs of each limit. */
    readonly demands: Demands,
  ) {
    super();
    this.outer = exchange.latest;
  }

  /**
   * Requests the permit, unless the client has already disconnected.
   *
   * @param asksGuard False if the guard has already admitted the request.
   */
  enter(asksGuard: boolean): void {
    if (this.exchange.gone) return this.leave();
    this.settings.gate.request(this, this.demands, asksGuard);
    if (this.permit !== undefined && this.answered === undefined) this.exchange.observe(this);
  }

  /** What the handler may know of the admission. */
  get admission(): Admission {
    return admissionOf(this.permit, this.rejection, this.clientDeadline);
  }

  /** The client has said for how many milliseconds it still waits. */
  clientWaits(milliseconds: number): void {
    this.queueTimeout = milliseconds;
    this.clientDeadline = new ClientDeadline(this.settings.clock, milliseconds);
  }

  /** Whether the request is queued now. */
  get isQueued(): boolean {
    const { answered, permit, rejection, disconnected } = this;
    return answered !== undefined && (permit ?? rejection) === undefined && !disconnected;
  }

  override queued(): void {
    for (let { outer } = this; outer !== undefined; outer = outer.outer) {
      const { permit, demands, settings } = outer;
      if (settings.isDefault) permit?.pauseCounting();
      if (settings.countsWaiting && permit?.released === false)
        warnOfNestedWait(this.demands, demands);
    }
    for (const { permit, demands } of this.exchange.outers())
      if (permit?.released === false) warnOfInnerWait(this.demands, demands);
    this.answered = new Promise((resolve) => {
      this.answer = resolve;
    });
    this.settings.slowClients?.queued();
    this.exchange.observe(this);
  }

  /**
   * Whether the client has left, or its deadline has passed without a response. Once the response has ended: whether
   * that had happened before.
   */
  override gone(): boolean {
    return this.hasEnded ? this.wasTooLate : this.exchange.gone || this.isLate;
  }

  /** In the queue, `queueTimeout` rejects the request at its deadline, since the client may still read that. */
  private get isLate(): boolean {
    return this.permit !== undefined && this.clientDeadline?.isMissed === true;
  }

  override withdrawn(): void {
    this.leave();
  }

  granted(permit: BasePermit): void {
    this.admit(permit);
    this.clientDeadline?.watch(permit, this.exchange);
    for (let { outer } = this; outer !== undefined; outer = outer.outer) outer.permit?.countAgain();
    this.settings.slowClients?.add(this);
    this.answer?.();
  }

  /** Starts holding this permit. */
  admit(permit: BasePermit): void {
    this.permit = permit;
    this.number = ++admissions;
  }

  rejected(rejection: Rejection): void {
    this.rejection = rejection;
    for (let { outer } = this; outer !== undefined; outer = outer.outer) outer.rejectedInside();
    this.exchange.rejected(rejection.reason === 'closed', this.settings.clock);
    this.answer?.();
  }

  /** Called when an inner limit has rejected the request. Its response then says nothing about the handler. */
  private rejectedInside(): void {
    this.isAnswered = false;
    if (!this.settings.isDefault) return;
    this.permit?.countAgain();
    this.outcomeOf = () => 'ignored';
  }

  /** Whether the request already holds a permit of this limiter and key. */
  holds({ limiter, key }: Demand): boolean {
    if (this.permit?.released !== false) return false;
    return this.demands.some((demand) => demand.limiter === limiter && demand.key === key);
  }

  /** Whether an inner request with this demand may run on the permit. */
  lends(demand: Demand): boolean {
    const { permit, inner } = this;
    if (permit === undefined || permit.hasEnded || inner?.isFull || !this.holds(demand))
      return false;
    return permit.counts(demand.limiter.name);
  }

  /** Holds the permit until an inner request is done. */
  lend(exchange: Exchange, done: Promise<void>): void {
    this.inner ??= new InnerRequests();
    this.permit?.waitUntil(this.inner.add(exchange, done));
  }

  /** Whether the handler of an inner request works on the permit, rather than waits for its client. */
  get worksInside(): boolean {
    return this.inner?.areWorking ?? false;
  }

  /** Calls the rest of the app, which may call itself on the permit. */
  run<R>(work: () => R): R {
    const { contexts } = ownCalls;
    if (contexts === undefined) return work();
    const { exchange } = this;
    exchange.scope ??= { exchange };
    return contexts.run(exchange.scope, work);
  }

  /** Whether this guard has already admitted the request. */
  wasAdmittedBy(guard: Guard): boolean {
    return this.settings.guard === guard;
  }

  /** Called when the response has ended. */
  ended(ending: Ending): void {
    const { permit, settings } = this;
    if (this.hasEnded) return;
    this.hasEnded = true;
    this.wasTooLate = ending === 'unanswered' || this.isLate;
    this.clientDeadline?.stop();
    // A disconnect in the middle of the body does not change for how long the handler counts.
    if (ending !== 'truncated') settings.slowClients?.delete(this);
    if (permit === undefined) return this.withdraw();
    if (ending !== 'complete') {
      permit.abort(new HeadgateError('ERR_HEADGATE_DISCONNECTED', 'the client has disconnected'));
      if (settings.onDisconnect === 'release') return permit.release('ignored');
      if (!this.knowsHandlers || this.hasOnlySettled) return this.abandon(permit);
    }
    const { abandoned } = settings;
    const isAnswered = ending === 'complete' && this.isAnswered;
    // An error shows nothing: the request may have been refused before it came to what hangs.
    if (isAnswered && !abandoned.isEmpty && !this.exchange.hasFailed)
      abandoned.answered(this.work, this.number);
    this.releaseIfDone();
    if (ending !== 'complete' && !permit.released) this.holdUntilHandedOver(permit);
  }

  /** Holds the permit, and those of outer middleware, until this work of a handler has settled too. */
  trackHandler<P extends PromiseLike<unknown>>(work: P): P {
    for (let gated: GatedRequest | undefined = this; gated !== undefined; gated = gated.outer) {
      gated.knowsHandlers = true;
      gated.isTracked = true;
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

  /** The kind of work, if known. */
  get kind(): string | undefined {
    const { permit, settings, httpRequest, exchange } = this;
    return permit?.kind ?? settings.kindOf(httpRequest as never) ?? exchange.kindInside?.();
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
    return this.isTracked && this.runningHandlers === 0 && !this.exchange.headersSent;
  }

  /** What the handler does: its kind or, if unknown, the method and path. */
  private get work(): string {
    return this.kind ?? this.settings.targetOf(this.httpRequest as never);
  }

  /** Called when the client has left and no promise shows when the handler is done. */
  private abandon(permit: BasePermit): void {
    const { exchange, demands, work, number } = this;
    const { abandoned } = this.settings;
    const seemsToStop = exchange.seemsToStop || this.readsSignal;
    const release = () => this.endAbandoned(permit, 'ignored');
    const request = new AbandonedRequest(demands, work, number, seemsToStop, release);
    let isAbandoned = false;
    exchange.whenDone(() => {
      this.endAbandoned(permit, this.outcomeOf?.(permit));
      if (isAbandoned) abandoned.finishedLate(request);
    });
    if (permit.released) return;
    isAbandoned = true;
    permit.abandon();
    abandoned.add(request);
    exchange.whenDisconnectRead(() => abandoned.showsStop(request));
  }

  /** Whether the handler has taken the signal that aborts at a disconnect, from this limit or an outer one. */
  private get readsSignal(): boolean {
    for (let gated: GatedRequest | undefined = this; gated !== undefined; gated = gated.outer)
      if (gated.permit?.hasSignal) return true;
    return false;
  }

  private endAbandoned(permit: BasePermit, outcome: Outcome | undefined): void {
    // Otherwise an inner limit tracks a handler now, whose promise releases the permit.
    if (this.runningHandlers === 0 && !permit.released) permit.end(outcome);
  }

  /**
   * Called when the client has left before the handler's promise has settled. The promise may wait for the end of the
   * closed response and never settle, so the permit is released once the handler has ended the response or piped to it.
   */
  private holdUntilHandedOver(permit: BasePermit): void {
    permit.abandon();
    this.exchange.whenHandedOver(() => {
      if (!permit.released) permit.end('ignored');
    });
  }

  private settled(): void {
    if (this.ignoredPromises > 0) {
      this.ignoredPromises--;
      return;
    }
    for (let gated: GatedRequest | undefined = this; gated !== undefined; gated = gated.outer) {
      gated.runningHandlers--;
      gated.releaseIfDone();
    }
  }

  private releaseIfDone(): void {
    const { permit } = this;
    if (this.hasEnded && this.runningHandlers === 0 && permit?.released === false)
      permit.end(this.outcomeOf?.(permit) ?? 'ok');
  }

  private withdraw(): void {
    if (this.rejection !== undefined) return;
    this.settings.gate.withdraw(this);
    if (!this.disconnected) this.leave();
  }

  private leave(): void {
    this.disconnected = true;
    this.answer?.();
    // No handler will run, so outer middleware must not wait for one.
    for (let { outer } = this; outer !== undefined; outer = outer.outer) outer.handlerWillNotRun();
  }

  private handlerWillNotRun(): void {
    if (this.knowsHandlers) return;
    this.knowsHandlers = true;
    this.releaseIfDone();
  }
}

/** A request that bypasses the limits. Its permit only bounds the number of such requests. */
export class UnlimitedRequest extends GatedRequest {
  protected override isAnswered = false;

  override get admission(): Admission {
    return unlimited;
  }

  override wasAdmittedBy(): boolean {
    return false;
  }
}
