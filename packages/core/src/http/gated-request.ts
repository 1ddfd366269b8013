import type { Clock } from '../clock.ts';
import type { Demands } from '../gate/demands.ts';
import type { InternalGate } from '../gate/gate.ts';
import type { Limiter } from '../limiter/limiter.ts';
import type { BasePermit } from '../semaphore/permit.ts';
import type { Rejection } from '../semaphore/rejection.ts';
import { type Admission, admissionOf, unlimited } from './admission.ts';
import { ClientDeadline } from './client-deadline.ts';
import { type Exchange, ownCalls } from './exchange.ts';
import { HandledRequest, type HandlingSettings } from './handled-request.ts';
import { warnOfInnerWait } from './nested-waits.ts';

/** The settings of a middleware that its gated requests need. */
export interface GatedRequestSettings extends HandlingSettings {
  /** What requests ask for a permit, unless it is `limiter`. */
  readonly gate?: Pick<InternalGate, 'request' | 'withdraw'> | undefined;
  /** The only limit, if it needs no gate: no other limit and no guard come before or after it. */
  readonly limiter?: Pick<Limiter, 'request' | 'withdraw'> | undefined;
  readonly clock: Clock;
}

/** A request at one gate: it waits in the queue, holds its permit until the response ends, or is rejected. */
export class GatedRequest extends HandledRequest {
  /** Why the request was rejected, once it has been. */
  rejection: Rejection | undefined = undefined;
  /** Whether the client disconnected while the request was queued. No response is then sent, and no handler runs. */
  disconnected = false;
  /**
   * Pending while the request is queued; undefined if it was never queued. Awaiting it keeps the request's async
   * context.
   */
  answered: Promise<void> | undefined = undefined;
  private answer: (() => void) | undefined = undefined;

  declare protected readonly settings: GatedRequestSettings;
  declare readonly exchange: Exchange;

  constructor(settings: GatedRequestSettings, exchange: Exchange, demands: Demands) {
    super(settings, exchange, demands, exchange.latest);
  }

  /**
   * Requests the permit, unless the client has already disconnected.
   *
   * @param asksGuard False if the guard has already admitted the request.
   */
  enter(asksGuard: boolean): void {
    if (this.exchange.gone) return this.leave();
    const { gate, limiter } = this.settings;
    if (limiter === undefined) gate?.request(this, this.demands, asksGuard);
    else {
      const [{ weight, share } = { weight: 1 }] = this.demands;
      this.weight = weight;
      if (share !== undefined) this.share = share;
      limiter.request(this);
    }
    if (this.permit !== undefined && this.answered === undefined) this.exchange.observe(this);
  }

  get admission(): Admission {
    return admissionOf(this.permit, this.rejection, this.clientDeadline);
  }

  /** The client has said for how many milliseconds it still waits. */
  clientWaits(milliseconds: number): void {
    this.queueTimeout = milliseconds;
    this.clientDeadline = new ClientDeadline(this.settings.clock, milliseconds);
  }

  get isQueued(): boolean {
    const { answered, permit, rejection, disconnected } = this;
    return answered !== undefined && (permit ?? rejection) === undefined && !disconnected;
  }

  override get kind(): string | undefined {
    return super.kind ?? this.exchange.kindInside?.();
  }

  override queued(): void {
    for (let { outer } = this; outer !== undefined; outer = outer.outer)
      outer.queuedInside(this.demands);
    for (const { permit, demands } of this.exchange.outers())
      if (permit?.released === false) warnOfInnerWait(this.demands, demands);
    this.answered = new Promise((resolve) => {
      this.answer = resolve;
    });
    this.settings.slowClients?.queued();
    this.exchange.observe(this);
    this.exchange.queued(this.answered);
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

  rejected(rejection: Rejection): void {
    this.rejection = rejection;
    for (let { outer } = this; outer !== undefined; outer = outer.outer) outer.rejectedInside();
    this.exchange.rejected(rejection.reason === 'closed', this.settings.clock);
    this.answer?.();
  }

  run<R>(work: () => R): R {
    const { contexts } = ownCalls;
    if (contexts === undefined) return work();
    const { exchange } = this;
    exchange.scope ??= { exchange };
    return contexts.run(exchange.scope, work);
  }

  protected withdraw(): void {
    if (this.rejection !== undefined) return;
    const { gate, limiter } = this.settings;
    (limiter ?? gate)?.withdraw(this);
    if (!this.disconnected) this.leave();
  }

  private leave(): void {
    this.disconnected = true;
    this.answer?.();
    // No handler will run, so outer middleware must not wait for one.
    for (let { outer } = this; outer !== undefined; outer = outer.outer) outer.handlerWillNotRun();
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
