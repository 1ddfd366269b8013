import { startTimer } from '../../clock.ts';
import type { Answer, LeaseStore } from '../contract.ts';
import type { Batch } from './batch.ts';
import { type Lease, slackPart } from './lease.ts';

interface Release {
  readonly lease: Lease;
  /** When the lease will have expired. */
  readonly expires: number;
  /** Whether the store should still have the lease, as no release of it was answered. */
  isHeld: boolean;
}

/** Sends the release of a lease that is over until the store has confirmed it or the lease has expired by itself. */
export class Releases {
  readonly #unconfirmed = new Map<Lease, Release>();
  /** Those that must be sent again. */
  #failed: Release[] = [];
  #whenConfirmed: (() => void)[] = [];

  constructor(
    private readonly store: LeaseStore,
    private readonly batch: Batch,
    /** Calls `sendAgain` at this time. */
    private readonly wakeBy: (at: number) => void,
  ) {}

  /** Releases a lease that the store may know; `isHeld` if the store should still have it. */
  add(lease: Lease, isHeld: boolean): void {
    if (this.#unconfirmed.has(lease)) return;
    const expires = this.store.clock.now() + this.store.leaseDuration;
    const release = { lease, expires, isHeld };
    this.#unconfirmed.set(lease, release);
    this.#send(release);
  }

  /** Sends failed releases again. */
  sendAgain(): void {
    for (const release of this.#failed.splice(0)) this.#send(release);
  }

  /** Resolves when the store has confirmed all releases, or after the timeout of a call. */
  confirmed(): Promise<void> {
    if (this.#unconfirmed.size === 0) return Promise.resolve();
    const { clock, timeout } = this.store;
    return new Promise((resolve) => {
      const cancel = startTimer(clock, timeout, resolve);
      this.#whenConfirmed.push(() => {
        cancel();
        resolve();
      });
    });
  }

  #send(release: Release): void {
    const lease = release.lease.request(this.store.clock.now());
    this.batch.add({ verb: 'release', lease }, (answer) => this.#answered(release, answer));
  }

  #answered(release: Release, answer: Answer): void {
    const { lease, expires, isHeld } = release;
    const { owner } = lease;
    const now = this.store.clock.now();
    release.isHeld = false;
    const hasFailed = 'error' in answer;
    if (isHeld && !hasFailed && answer.state === 'lost') owner.dropped(lease);
    if (hasFailed && now < expires) {
      this.#failed.push(release);
      return this.wakeBy(now + this.store.leaseDuration * slackPart);
    }
    this.#unconfirmed.delete(lease);
    if (this.#unconfirmed.size === 0) for (const done of this.#whenConfirmed.splice(0)) done();
    if (!hasFailed) owner.learn(answer, 'release');
  }
}
