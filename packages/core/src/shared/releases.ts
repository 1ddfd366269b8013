import { startTimer } from '../clock.ts';
import type { Lease } from './lease.ts';
import { slackPart } from './lease-parts.ts';
import type { Session } from './session.ts';
import type { Answer } from './store.ts';

/** What has been given back: the store is told until it has heard, or until the lease has run out by itself. */
export class Releases {
  /** Those of which the store may not have heard, and when each will have run out. */
  readonly #ends = new Map<Lease, number>();
  /** Those that the store should hold: it has not been told before. */
  readonly #held = new WeakSet<Lease>();
  /** Of these, the ones of which it is to be told again. */
  #unheard: Lease[] = [];
  #whenHeard: (() => void)[] = [];

  constructor(private readonly session: Session) {}

  /** The store knows it, though it is over; where it is `held`, the store should hold it. */
  add(lease: Lease, held = false): void {
    const { clock, lease: length } = this.session.store;
    if (this.#ends.has(lease)) return;
    if (held) this.#held.add(lease);
    this.#ends.set(lease, clock.now() + length);
    this.#send(lease);
  }

  /** Tells of what the store has not heard. */
  sendAgain(): void {
    for (const lease of this.#unheard.splice(0)) this.#send(lease);
  }

  /** Resolves when the store has heard of all, or has not answered for as long as a call may take. */
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
    const { clock, lease: length } = this.session.store;
    const now = clock.now();
    const wasHeld = this.#held.delete(lease);
    if (wasHeld && 'state' in answer && answer.state === 'lost')
      lease.pool.home.leaseLost(lease.weight);
    if ('error' in answer && now < ends) {
      this.#unheard.push(lease);
      return this.session.wakeBy(now + length * slackPart);
    }
    this.#ends.delete(lease);
    if (this.#ends.size === 0) for (const done of this.#whenHeard.splice(0)) done();
    if (!('error' in answer)) lease.pool.learn(answer);
  }
}
