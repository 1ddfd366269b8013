import { type Listening, listen } from './abortion.ts';
import { checkAsked } from './asking.ts';
import type { Limiter, WaitOptions } from './limiter.ts';
import type { Permit } from './permit.ts';
import { RejectedError, type Rejection } from './rejection.ts';
import { Waiter } from './waiter.ts';

/** A waiter that settles a promise. It listens to the signal only while it waits. */
export class Acquisition extends Waiter {
  private listening: Listening | undefined = undefined;

  constructor(
    /** The limiter or gate. */
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
    // An observer of the admission has aborted it.
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

  /** Another's listener to the same signal may come first, and make room by leaving. */
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

/** What callers say that say nothing. */
export const nothing = {};

/** Asks a limiter on behalf of somebody who waits for a promise. */
export function acquireFrom(
  limiter: Limiter,
  options: WaitOptions = nothing,
  owner = 'acquire',
): Promise<Permit> {
  return new Promise((resolve, reject) => {
    if (options !== nothing) checkAsked(owner, options);
    options.signal?.throwIfAborted();
    const waiter = new Acquisition(limiter, resolve, reject, options.signal);
    waiter.key = options.key;
    if (options.weight !== undefined) waiter.weight = options.weight;
    waiter.limit = options.limit;
    if (options.share !== undefined) waiter.share = options.share;
    if (options.party !== undefined) waiter.party = options.party;
    waiter.queueTimeout = options.queueTimeout;
    if (options.priority !== undefined) waiter.priority = options.priority;
    limiter.request(waiter);
  });
}
