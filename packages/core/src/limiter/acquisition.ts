import type { Permit } from '../semaphore/permit.ts';
import { RejectedError, type Rejection } from '../semaphore/rejection.ts';
import { Waiter } from '../semaphore/waiter.ts';
import { type AbortRegistration, listen } from './abort-listener.ts';
import { checkAcquireOptions } from './acquire-options.ts';
import type { Limiter, WaitOptions } from './limiter.ts';

/** A waiter that settles a promise. It listens to the signal only while it is queued. */
export class Acquisition extends Waiter {
  private listening: AbortRegistration | undefined = undefined;

  constructor(
    /** The limiter or gate that the permit was requested from. */
    private readonly at: Pick<Limiter, 'withdraw'>,
    private readonly resolve: (permit: Permit) => void,
    private readonly reject: (error: unknown) => void,
    private readonly signal: AbortSignal | undefined,
  ) {
    super();
  }

  granted(permit: Permit): void {
    this.stopListening();
    const { signal } = this;
    if (signal?.aborted !== true) return this.resolve(permit);
    // An observer's `admitted` callback may have aborted the signal.
    permit.release('ignored');
    this.reject(signal.reason);
  }

  rejected(rejection: Rejection): void {
    this.stopListening();
    const { signal } = this;
    if (signal?.aborted) this.reject(signal.reason);
    else this.reject(rejection.error?.for(rejection) ?? new RejectedError(rejection));
  }

  override joins(): boolean {
    const { signal } = this;
    if (signal === undefined) return true;
    this.listening = listen(signal, this);
    return !signal.aborted;
  }

  /** Another listener of the same signal may run first and make room by withdrawing its own waiter. */
  override gone(): boolean {
    return this.signal?.aborted === true;
  }

  abort(): void {
    this.stopListening();
    this.at.withdraw(this);
    this.reject(this.signal?.reason);
  }

  private stopListening(): void {
    this.listening?.stop();
    this.listening = undefined;
  }
}

/** Stands for omitted options, so that they need no check. */
export const nothing = {};

/** Requests a permit from a limiter, and resolves to it. */
export function acquireFrom(
  limiter: Limiter,
  options: WaitOptions = nothing,
  owner = 'acquire',
): Promise<Permit> {
  return new Promise((resolve, reject) => {
    if (options !== nothing) checkAcquireOptions(owner, options);
    options.signal?.throwIfAborted();
    const waiter = new Acquisition(limiter, resolve, reject, options.signal);
    waiter.key = options.key;
    if (options.weight !== undefined) waiter.weight = options.weight;
    waiter.limit = options.limit;
    if (options.share !== undefined) waiter.share = options.share;
    if (options.fairBy !== undefined) waiter.fairBy = options.fairBy;
    waiter.queueTimeout = options.queueTimeout;
    if (options.priority !== undefined) waiter.priority = options.priority;
    limiter.request(waiter);
  });
}
