import { type Limiter, type Permit, type Rejection, Waiter } from '@headgate/core';

/** A line in which all may wait for as long as it takes. */
export const patiently = { queueLimit: Infinity, queueTimeout: Infinity };

/** A waiter that calls back: a promise would be settled only when the simulation pauses. */
export class Asking extends Waiter {
  constructor(
    private readonly admitted: (permit: Permit) => void,
    private readonly turnedAway: (rejection: Rejection) => void = () => {},
  ) {
    super();
  }

  at(limiter: Limiter): void {
    limiter.request(this);
  }

  granted(permit: Permit): void {
    this.admitted(permit);
  }

  rejected(rejection: Rejection): void {
    this.turnedAway(rejection);
  }
}
