import { badCount, type Refusal, unknownSemaphore } from './refusal.ts';
import { type Peer, Semaphore, type SemaphoreSettings } from './semaphore.ts';

/** The configured semaphores, and those that are no longer configured but still in use. */
export class Semaphores {
  readonly #byName = new Map<string, Semaphore>();

  /** @param granted Called when a peer's pending lock has been granted. */
  constructor(private readonly granted: (peer: Peer) => void) {}

  get size(): number {
    return this.#byName.size;
  }

  get(name: string): Semaphore | undefined {
    return this.#byName.get(name);
  }

  all(): Iterable<Semaphore> {
    return this.#byName.values();
  }

  /**
   * The semaphore that the peer may use. If it is no longer configured, only peers that hold it or wait for it can see
   * it.
   */
  of(name: string, peer: Peer | undefined): Semaphore | undefined {
    const semaphore = this.#byName.get(name);
    if (semaphore?.retired && peer?.demand(semaphore) === undefined) return undefined;
    return semaphore;
  }

  /** Replaces the configuration. Held and pending locks stay. */
  configure(settings: ReadonlyMap<string, SemaphoreSettings>, now: number): void {
    for (const [name, each] of settings) {
      const known = this.#byName.get(name);
      if (known === undefined) this.#byName.set(name, new Semaphore(name, each));
      else known.configure(each);
    }
    for (const semaphore of this.#byName.values()) {
      if (!settings.has(semaphore.name)) semaphore.retired = true;
      this.serve(semaphore, now);
    }
  }

  /** Grants the pending locks that fit, and removes an idle semaphore that is no longer configured. */
  serve(semaphore: Semaphore, now: number): void {
    for (const { peer } of semaphore.grantFitting(now)) {
      peer.pending = undefined;
      this.granted(peer);
    }
    if (semaphore.retired && semaphore.isIdle) this.#byName.delete(semaphore.name);
  }

  /** The semaphores of the locks to restore, or a refusal if any of the locks is invalid. */
  resolve(
    locks: ReadonlyMap<string, bigint>,
    peer: Peer | undefined,
  ): Map<Semaphore, bigint> | Refusal {
    const acquired = new Map<Semaphore, bigint>();
    for (const [name, count] of locks) {
      const semaphore = this.of(name, peer);
      if (semaphore === undefined) return unknownSemaphore;
      acquired.set(semaphore, count);
    }
    for (const count of acquired.values()) if (count < 1n) return badCount(count);
    return acquired;
  }
}
