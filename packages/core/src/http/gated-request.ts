import type { Clock } from '../clock.ts';
import { HeadgateError } from '../errors.ts';
import type { Demand, Demands } from '../gate/demands.ts';
import type { InternalGate } from '../gate/gate.ts';
import type { Guard } from '../gate/options.ts';
import type { Outcome } from '../limits/limit.ts';
import type { BasePermit } from '../semaphore/permit.ts';
import type { Rejection } from '../semaphore/rejection.ts';
import { Waiter } from '../semaphore/waiter.ts';
import { warnOnce } from '../warning.ts';
import { type Admission, unlimited } from './admission.ts';
import type { SlowClients } from './slow-clients.ts';
import type { UsualDurations } from './usual-durations.ts';

/** The settings of a middleware that its gated requests need. */
export interface GatedRequestSettings {
  readonly gate: Pick<InternalGate, 'request' | 'withdraw'>;
  readonly guard: Guard | undefined;
  readonly clock: Clock;
  readonly onDisconnect: 'wait' | 'release';
  /** How long requests usually take. Needed where the framework does not report when a handler settles. */
  readonly durations: UsualDurations;
  /** The kind of work that a request of the framework does, if known. Must not throw. */
  kindOf(request: never): string | undefined;
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

/** How a response ended: sent completely, cut off within its body, or cut off before its header. */
export type Ending = 'complete' | 'truncated' | 'unanswered';

/**
 * A request and its response, as far as an adapter can observe them. All middleware of the request use the same
 * instance.
 */
export abstract class Exchange {
  /** The gated request of the innermost middleware. Its `outer` links to those of the enclosing ones. */
  latest: GatedRequest | undefined = undefined;
  /** The kind of work, as an inner limit knows it: a limit in front of the framework does not see the route. */
  kindInside: (() => string | undefined) | undefined = undefined;

  /** Whether the client has disconnected. */
  abstract readonly gone: boolean;
  /** Whether the head of the response has been sent. */
  abstract readonly headersSent: boolean;
  /** Must arrange that `ended` is called when the response ends. */
  protected abstract listen(): void;

  /**
   * Whether the handler has read everything that has arrived of the request's body and is waiting for the rest. False
   * if unknown.
   */
  get awaitsBody(): boolean {
    return false;
  }

  /** Whether the request is queued at its innermost limit. */
  get isQueued(): boolean {
    return this.latest?.isQueued ?? false;
  }

  /** Calls back just before the handler reads the end of the body. Needed only if `awaitsBody` may be true. */
  whenBodyEnds(_callback: () => void): void {}

  /** Calls back when the first part of the response's body is sent, or the response ends without one. */
  whenBodyBegins(_callback: () => void): void {}

  /**
   * Calls back when the handler of a disconnected client has finished, if the response shows that. Needed only if the
   * framework does not report it.
   */
  whenDone(_callback: () => void): void {}

  /**
   * Calls back when the handler of a disconnected client has ended the response or pipes a stream to it, perhaps
   * repeatedly. From then on, the handler's promise may wait for a `finish` event that never comes.
   */
  whenHandedOver(_callback: () => void): void {}

  /**
   * Called when the request is rejected. If `hangUp` is set, as on shutdown, closes the connection after the response.
   */
  rejected(_hangUp: boolean, _clock: Clock): void {}

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
  ended(ending: Ending): void {
    for (let gated = this.latest; gated !== undefined; gated = gated.outer) gated.ended(ending);
  }
}

/** The kind of all requests whose handlers return promises, unless the app sets another kind. */
const TRACKED_KIND = '';

const names = (demands: Demands) => demands.map(({ limiter }) => `"${limiter.name}"`).join(', ');

function nestedWait(inner: Demands, outer: Demands): string {
  const both = `is queued for ${names(inner)} while it holds a permit of ${names(outer)} in another middleware`;
  return `a request ${both}; combine the limits in one middleware`;
}

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
  /** Determines the outcome for an adaptive limit. */
  outcomeOf: ((permit: BasePermit) => Outcome) | undefined = undefined;
  /** The framework's request, which determines the kind. */
  httpRequest: unknown = undefined;
  /** When it was admitted, by `durations.now`. */
  admittedAt = 0;
  /** Number of handlers that are running, here or in inner middleware. */
  private runningHandlers = 0;
  /** Whether `runningHandlers` is known: the framework has reported a handler, or no handler will run. */
  private knowsHandlers = false;
  private hasEnded = false;
  /** Whether the request's duration may be used to learn how long such requests take. */
  protected isMeasured = true;
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
    const { permit, rejection } = this;
    return { permit, waited: permit?.waited ?? rejection?.waited ?? 0, rejection } as Admission;
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
      if (settings.countsWaiting && permit?.released === false && demands.length > 0)
        warnOnce('HEADGATE_NESTED_WAIT', () => nestedWait(this.demands, demands));
    }
    this.answered = new Promise((resolve) => {
      this.answer = resolve;
    });
    this.settings.slowClients?.queued();
    this.exchange.observe(this);
  }

  override gone(): boolean {
    return this.exchange.gone;
  }

  override withdrawn(): void {
    this.leave();
  }

  granted(permit: BasePermit): void {
    this.admit(permit);
    for (let { outer } = this; outer !== undefined; outer = outer.outer) outer.permit?.countAgain();
    this.settings.slowClients?.add(this);
    this.answer?.();
  }

  /** Starts holding this permit. */
  admit(permit: BasePermit): void {
    this.permit = permit;
    this.admittedAt = this.settings.durations.now;
  }

  rejected(rejection: Rejection): void {
    this.rejection = rejection;
    for (let { outer } = this; outer !== undefined; outer = outer.outer) outer.rejectedInside();
    this.exchange.rejected(rejection.reason === 'closed', this.settings.clock);
    this.answer?.();
  }

  /** Called when an inner limit has rejected the request. Its duration then says nothing about the handler. */
  private rejectedInside(): void {
    this.isMeasured = false;
    if (!this.settings.isDefault) return;
    this.permit?.countAgain();
    this.outcomeOf = () => 'ignored';
  }

  /** Whether the request already holds a permit of this limiter and key. */
  holds({ limiter, key }: Demand): boolean {
    if (this.permit?.released !== false) return false;
    return this.demands.some((demand) => demand.limiter === limiter && demand.key === key);
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
    // A disconnect in the middle of the body does not change for how long the handler counts.
    if (ending !== 'truncated') settings.slowClients?.delete(this);
    if (permit === undefined) return this.withdraw();
    if (ending !== 'complete') {
      permit.abort(new HeadgateError('ERR_HEADGATE_DISCONNECTED', 'the client has disconnected'));
      if (settings.onDisconnect === 'release') return permit.release('ignored');
      if (!this.knowsHandlers) return this.abandon(permit);
    }
    // Measured before the release, which may set the kind.
    if (ending === 'complete') this.measure(this.knowsHandlers ? this.trackedKind : this.kind);
    this.releaseIfDone();
    if (ending !== 'complete' && !permit.released) this.boundHandler(permit);
  }

  /** Holds the permit, and those of outer middleware, until this work of a handler has settled too. */
  trackHandler<P extends PromiseLike<unknown>>(work: P): P {
    for (let gated: GatedRequest | undefined = this; gated !== undefined; gated = gated.outer) {
      gated.knowsHandlers = true;
      gated.runningHandlers++;
    }
    // Not awaited, since that would delay the middleware around this one.
    const settled = () => this.settled();
    work.then(settled, settled);
    return work;
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

  /**
   * Called when the client has disconnected and the framework does not report when the handler settles. Holds the
   * permit for as long as such a request usually takes. A handler that stops early therefore costs no more than one
   * that responds, and clients that disconnect cannot start more handlers than other clients.
   */
  private abandon(permit: BasePermit): void {
    const { exchange, settings } = this;
    const leftAt = settings.durations.now;
    const giveUp = () => {
      // It is unknown when the handler stopped.
      if (!this.knowsHandlers) this.outcomeOf = () => 'ignored';
      this.handlerWillNotRun();
    };
    let cancel = () => {};
    exchange.whenDone(() => {
      cancel();
      if (permit.released) this.measureLate(leftAt);
      else this.handlerWillNotRun();
    });
    if (!this.knowsHandlers) cancel = settings.durations.whenPassed(this, giveUp);
  }

  /**
   * Limits how long a handler counts after a disconnect. Its promise may wait for the end of the closed response and
   * never settle, so the permit is released after the usual time of such a request.
   */
  private boundHandler(permit: BasePermit): void {
    const request = { admittedAt: this.admittedAt, kind: this.trackedKind };
    const release = () => {
      if (!permit.released) permit.end('ignored');
    };
    this.exchange.whenHandedOver(() => this.settings.durations.whenPassed(request, release));
  }

  /**
   * The kind of a request whose handler returns a promise. It is a constant, since looking up each request's route
   * would cost measurable time.
   */
  private get trackedKind(): string {
    return this.permit?.kind ?? TRACKED_KIND;
  }

  /** Called when the handler has responded. */
  private measure(kind = this.kind, since = this.admittedAt): void {
    if (!this.isMeasured) return;
    const { durations } = this.settings;
    durations.add(kind, durations.now - since);
  }

  /**
   * Measures a handler that works for longer than usual after its client has disconnected. Its permit was released too
   * early: without this, clients could start expensive requests of a usually cheap kind and disconnect. The measurement
   * starts at the disconnect, since clients choose the time before it.
   */
  private measureLate(leftAt: number): void {
    const { durations } = this.settings;
    if (durations.now - leftAt > durations.of(this.kind)) this.measure(this.kind, leftAt);
  }

  private settled(): void {
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
  protected override isMeasured = false;

  override get admission(): Admission {
    return unlimited;
  }

  override wasAdmittedBy(): boolean {
    return false;
  }
}
