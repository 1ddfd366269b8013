import type { Clock } from '../clock.ts';
import { noRejections } from './limiter.ts';
import { type Observer, tell } from './observer.ts';
import type { Rejection } from './rejection.ts';
import type { Waiter } from './waiter.ts';

/** Counts and reports those who were not admitted at once. */
export class Tally {
  readonly rejections = noRejections();
  withdrawals = 0;

  constructor(
    private readonly name: string,
    private readonly clock: Clock,
    private readonly observer: Observer | undefined,
  ) {}

  queued(weight: number, queued: number): void {
    const { name, observer } = this;
    if (observer !== undefined) tell(observer, 'queued', { name, weight, queued });
  }

  rejected(rejection: Rejection, shadow = false): void {
    const { name, observer } = this;
    this.rejections[rejection.reason]++;
    if (observer !== undefined) tell(observer, 'rejected', { name, rejection, shadow });
  }

  withdrawn({ since }: Waiter): void {
    const { name, clock, observer } = this;
    this.withdrawals++;
    if (observer !== undefined) tell(observer, 'withdrawn', { name, waited: clock.now() - since });
  }
}
