import { noRejections } from './limiter.ts';
import { type Observer, tell } from './observer.ts';
import type { Rejection } from './rejection.ts';

/** Counts and reports those who were not admitted at once. */
export class Tally {
  readonly rejections = noRejections();
  withdrawals = 0;

  constructor(
    private readonly name: string,
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

  withdrawn(waited: number): void {
    const { name, observer } = this;
    this.withdrawals++;
    if (observer !== undefined) tell(observer, 'withdrawn', { name, waited });
  }
}
