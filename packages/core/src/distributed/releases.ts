import { startTimer } from '../clock.ts';
import type { Answer } from './contract.ts';
import type { Lease } from './lease.ts';
import { slackPart } from './lease-parts.ts';
import type { Session } from './session.ts';

/** Sends releases to the store until it has confirmed them or the leases have expired by themselves. */
export class Releases {
  /** Unconfirmed releases, and when each lease will have expired. */
  readonly #ends = new Map<Lease, number>();
  /** Leases that the store should still have, as none of their releases was answered. */
  readonly #held = new WeakSet<Lease>();
  /** Unconfirmed releases that failed and must be sent again. */
  #failed: Lease[] = [];
  #whenHeard: (() => void)[] = [];

  constructor(private readonly session: Session) {}

  /** Releases a lease that the store may know; `held` if the store should still have it. */
  add(lease: Lease, held = false): void {
    const { clock, leaseDuration: length } = this.session.store;
    if (this.#ends.has(lease)) return;
    if (held) this.#held.add(lease);
    this.#ends.set(lease, clock.now() + length);
    this.#send(lease);
  }

  /** Sends failed releases again. */
  sendAgain(): void {
    for (const lease of this.#failed.splice(0)) this.#send(lease);
  }

  /** Resolves when the store has confirmed all releases, or after the timeout of a call. */
  heard(): Promise<void> {
    if (this.#ends.size === 0) return Promise.resolve();
    const { clock, timeout } = this.session.store;
    return new Promise((resolve) => {
      const cancel = startTimer(clock, timeout, resolve);
      this.#whenHeard.push(() => {
        cancel();
        resolve();
      });
    });
  }

  #send(lease: Lease): void {
    this.session.send({ verb: 'release', lease: lease.request() }, (answer) =>
      this.#answered(lease, answer),
    );
  }

  #answered(lease: Lease, answer: Answer): void {
    const ends = this.#ends.get(lease);
    if (ends === undefined) return;
    const { clock, leaseDuration: length } = this.session.store;
    const now = clock.now();
    const wasHeld = this.#held.delete(lease);
    if (wasHeld && 'state' in answer && answer.state === 'lost')
      lease.semaphore.parent.leaseLost(lease.weight);
    if ('error' in answer && now < ends) {
      this.#failed.push(lease);
      return this.session.wakeBy(now + length * slackPart);
    }
    this.#ends.delete(lease);
    if (this.#ends.size === 0) for (const done of this.#whenHeard.splice(0)) done();
    if (!('error' in answer)) lease.semaphore.learn(answer);
  }
}
