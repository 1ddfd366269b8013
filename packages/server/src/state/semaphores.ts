import type { Peer } from './peer.ts';
import { badCount, type Refusal, unknownSemaphore } from './refusal.ts';
import { Semaphore, type SemaphoreSettings } from './semaphore.ts';

/** The semaphores that are configured, and those that were and are still in use. */
export class Semaphores {
  readonly #byName = new Map<string, Semaphore>();

  /** @param granted The peer has got what it waited for. */
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

  /** What the peer can ask for: of what is configured no more, only what it holds or waits for. */
  of(name: string, peer: Peer | undefined): Semaphore | undefined {
    const semaphore = this.#byName.get(name);
    if (semaphore?.retired && peer?.demand(semaphore) === undefined) return undefined;
    return semaphore;
  }

  /** What is held and waited for stays. */
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

  /** Lets in whom there is room for, and lets go of a semaphore that nobody needs any more. */
  serve(semaphore: Semaphore, now: number): void {
    for (const { peer } of semaphore.fitting(now)) {
      peer.pending = undefined;
      this.granted(peer);
    }
    if (semaphore.retired && semaphore.isIdle) this.#byName.delete(semaphore.name);
  }

  /** The locks that a peer is to have back, all of them or none. */
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
