import type { Permit } from './permit.ts';
import { RejectedError, type Rejection } from './rejection.ts';
import { Waiter } from './waiter.ts';

/** A limiter or a gate: where one can wait. */
interface Entrance {
  withdraw(waiter: Waiter): void;
}

const once = { once: true };

/** A waiter that settles a promise. It listens to the signal only while it waits. */
export class Acquisition extends Waiter {
  constructor(
    private readonly entrance: Entrance,
    private readonly resolve: (permit: Permit) => void,
    private readonly reject: (error: unknown) => void,
    private readonly signal: AbortSignal | undefined,
  ) {
    super();
  }

  granted(permit: Permit): void {
    this.signal?.removeEventListener('abort', this);
    this.resolve(permit);
  }

  rejected(rejection: Rejection): void {
    this.signal?.removeEventListener('abort', this);
    this.reject(new RejectedError(rejection));
  }

  override joins(): boolean {
    this.signal?.addEventListener('abort', this, once);
    return true;
  }

  /** The signal's listener is the waiter itself: a closure for each would cost more than the rest of it. */
  handleEvent(): void {
    this.entrance.withdraw(this);
    this.reject(this.signal?.reason);
  }
}
