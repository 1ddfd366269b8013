import { type Limiter, type Permit, type Rejection, Waiter } from '@headgate/core';

/** An unbounded queue without a timeout. */
export const unbounded = { queueLimit: Infinity, queueTimeout: Infinity };

/** A waiter with callbacks: promises would settle only when the simulation pauses. */
export class CallbackWaiter extends Waiter {
  /** Whether its client has disconnected. */
  hasLeft = false;

  constructor(
    private readonly onGranted: (permit: Permit) => void,
    private readonly onRejected: (rejection: Rejection) => void = () => {},
  ) {
    super();
  }

  requestFrom(limiter: Limiter): void {
    limiter.request(this);
  }

  granted(permit: Permit): void {
    this.onGranted(permit);
  }

  override gone(): boolean {
    return this.hasLeft;
  }

  rejected(rejection: Rejection): void {
    this.onRejected(rejection);
  }
}
