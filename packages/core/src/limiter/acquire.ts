import type { Permit } from './permit.ts';
import { RejectedError, type Rejection } from './rejection.ts';
import { Waiter } from './waiter.ts';

/** A limiter or a gate: where one can wait. */
interface Entrance {
  withdraw(waiter: Waiter): void;
}

/** A waiter that settles a promise. It listens to the signal only while it waits. */
export class Acquisition extends Waiter {
  private listener: (() => void) | undefined = undefined;

  constructor(
    private readonly entrance: Entrance,
    private readonly resolve: (permit: Permit) => void,
    private readonly reject: (error: unknown) => void,
    private readonly signal: AbortSignal | undefined,
  ) {
    super();
  }

  granted(permit: Permit): void {
    this.stopListening();
    this.resolve(permit);
  }

  rejected(rejection: Rejection): void {
    this.stopListening();
    const { signal } = this;
    this.reject(signal?.aborted ? signal.reason : new RejectedError(rejection));
  }

  override joins(): boolean {
    const { signal } = this;
    if (signal === undefined) return true;
    // A closure is called faster than a listener that is an object, in Node.
    this.listener = () => this.abort();
    signal.addEventListener('abort', this.listener);
    return !signal.aborted;
  }

  /** Another's listener to the same signal may come first, and make room by leaving. */
  override gone(): boolean {
    return this.signal?.aborted === true;
  }

  private abort(): void {
    this.entrance.withdraw(this);
    this.reject(this.signal?.reason);
  }

  private stopListening(): void {
    if (this.listener !== undefined) this.signal?.removeEventListener('abort', this.listener);
  }
}

/** Calls `fn` under a permit, and gives that back. */
export async function callWith<T>(
  permit: Permit,
  fn: (permit: Permit) => T | PromiseLike<T>,
): Promise<T> {
  try {
    return await fn(permit);
  } finally {
    permit[Symbol.dispose]();
  }
}

/**
 * The same for a permit that is still to come. `fn` is called from the promise of the permit, so in its own caller's
 * async context and not in that of whoever makes room; an async function would cost several times as much to keep waiting.
 */
export function callLater<T>(
  permit: Promise<Permit>,
  fn: (permit: Permit) => T | PromiseLike<T>,
  signal: AbortSignal | undefined,
): Promise<T> {
  return permit.then((granted) => {
    if (signal?.aborted !== true) return callWith(granted, fn);
    granted.release('ignored');
    throw signal.reason;
  });
}
