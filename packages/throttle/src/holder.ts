import { randomBytes } from 'node:crypto';
import { HeadgateError, invalid, StoreError } from '@headgate/core/shared';
import { endedBy } from './ended-by.ts';
import { forgetful } from './failure.ts';
import { Heartbeat } from './heartbeat.ts';
import { type Patience, persist, rest } from './persist.ts';
import type { Protocol } from './protocol.ts';
import { Unanswered } from './unanswered.ts';

/** Milliseconds for which a request is blocked: no proxy takes it for dead. */
const longestBlock = 5_000;
/** Milliseconds that other calls take, or a third of the lease. */
const longestCall = 2_000;
/** How often a peer is made for one request: a service that does not know it then forgets all of them. */
const mostMade = 3;
/** Milliseconds between two requests that were to be blocked, and were not. */
const pause = 100;

/**
 * A holder of locks: one peer of the service, which is restored where the service has lost its state. Its requests are
 * sequenced where their order matters (docs/decisions/0021-order-of-one-lease.md).
 */
export class Holder {
  #peer = newPeer();
  readonly #acquired = new Map<string, number>();
  readonly #lost = new AbortController();
  readonly #heartbeat: Heartbeat;
  readonly #timeout: number;
  /** Whether the service has the peer, as far as its answers say. */
  #isMade = false;
  /** Whether the service was asked to make it. */
  #mayExist = false;
  #isWaiting = false;
  /** The heartbeat that is under way, or was. */
  #beating: Promise<void> = Promise.resolve();
  /** The restore that is under way. */
  #making: Promise<void> | undefined;
  /** How many restores were sent. */
  #restores = 0;
  /** The request for a lock that is under way, though its caller may have given up. */
  #asking: { readonly semaphore: string; readonly end: Promise<unknown> } | undefined;
  /** The releases that are under way. */
  readonly #releases = new Set<Promise<void>>();
  /** Requests without an answer: they may still arrive. */
  readonly #lateAcquires: Unanswered;
  readonly #lateReleases: Unanswered;

  constructor(
    private readonly protocol: Protocol,
    private readonly lease: number,
  ) {
    this.#timeout = Math.min(longestCall, lease / 3);
    this.#lateAcquires = new Unanswered(lease);
    this.#lateReleases = new Unanswered(lease);
    this.#heartbeat = new Heartbeat({
      lease,
      beat: () => {
        this.#beating = this.#beat().catch(() => {});
        return this.#beating;
      },
      over: () => this.#lose(),
    });
  }

  /** Aborts when the locks may be somebody else's. */
  get signal(): AbortSignal {
    return this.#lost.signal;
  }

  /** Whether it has got the lock before its time was up. If not, or where this fails, the service may wait on for it. */
  async acquire(semaphore: string, count: number, patience: Patience): Promise<boolean> {
    this.#isWaiting = true;
    try {
      await endedBy(this.#released(semaphore), patience.signal);
      for (;;) {
        const isHeld = await persist(() => this.#ask(semaphore, count, patience), patience);
        if (isHeld || performance.now() >= patience.until) return isHeld;
      }
    } finally {
      this.#isWaiting = false;
    }
  }

  /** @throws HeadgateError where it cannot ask for this one now. */
  checkIdle(semaphore: string): void {
    if (this.#isWaiting) {
      const message = 'the holder waits for another lock: it can wait for one at a time';
      throw new HeadgateError('ERR_HEADGATE_WAITING', message);
    }
    if (this.#acquired.has(semaphore)) {
      throw invalid('semaphore', 'one that its holder does not hold yet', semaphore);
    }
  }

  /** Releases a lock, or withdraws from its queue; resolves when the service has heard, or is not told any more. */
  release(semaphore: string): Promise<void> {
    this.#acquired.delete(semaphore);
    if (this.#acquired.size === 0) this.#heartbeat.stop();
    const release = this.#release(semaphore).finally(() => this.#releases.delete(release));
    this.#releases.add(release);
    return release;
  }

  async #release(semaphore: string): Promise<void> {
    // They may be about to restore what is released.
    await this.#beating;
    await this.#making?.catch(() => {});
    if (!this.#mayExist || this.signal.aborted) return;
    const until = this.#heartbeat.ends;
    if (this.#acquired.size === 0 && !this.#isWaiting) {
      const remove = this.#retire();
      await persist(remove, { until }).catch(() => {});
      return;
    }
    const asking = this.#asking;
    await persist(() => this.#withdraw(semaphore), { until }).catch(() => {});
    if (asking?.semaphore !== semaphore) return;
    // The request for it may have arrived after that.
    await asking.end;
    await persist(() => this.#withdraw(semaphore), { until }).catch(() => {});
  }

  /** How to remove the peer. As a removal may arrive late, what comes next is asked for by another peer. */
  #retire(): () => Promise<unknown> {
    const [peer, times] = [this.#peer, { timeout: this.#timeout }];
    this.#peer = newPeer();
    this.#isMade = false;
    this.#mayExist = false;
    return () => this.protocol.remove(peer, times);
  }

  async #withdraw(semaphore: string): Promise<void> {
    const release = this.protocol.release(this.#peer, semaphore, { timeout: this.#timeout });
    await this.#lateReleases.watch(semaphore, release);
  }

  /** Resolves when no release that was sent before can release what is acquired now. */
  async #released(semaphore: string): Promise<void> {
    while (this.#releases.size > 0) await Promise.all(this.#releases);
    await this.#beating;
    if (this.#mayExist) await rest(this.#lateReleases.timeLeft(semaphore));
  }

  async #ask(semaphore: string, count: number, { until, signal }: Patience): Promise<boolean> {
    for (let made = 0; ; ) {
      if (!this.#isMade) {
        if (made === mostMade) throw forgetful();
        await endedBy(this.#make(), signal);
        made++;
      }
      signal?.throwIfAborted();
      this.signal.throwIfAborted();
      const [sent, restores] = [performance.now(), this.#restores];
      const blockFor = Math.min(Math.max(until - sent, 0), longestBlock, this.lease / 3);
      const outcome = await this.#acquire(semaphore, count, blockFor, signal);
      // A restore that was sent meanwhile did not name this lock: the answer is void.
      if (restores !== this.#restores) continue;
      if (outcome === 'unknown') {
        this.#isMade = false;
        continue;
      }
      this.#heartbeat.hear(sent);
      if (outcome === 'held') {
        this.#acquired.set(semaphore, count);
        this.#heartbeat.start();
        return true;
      }
      // A service that is about to end answers at once.
      if (performance.now() - sent < blockFor / 2) await rest(pause, signal);
      return false;
    }
  }

  #acquire(semaphore: string, count: number, blockFor: number, signal: AbortSignal | undefined) {
    const ask = { peer: this.#peer, semaphore, count, expiresIn: this.lease, blockFor };
    const timeout = blockFor + this.#timeout;
    // What it leaves behind is removed with its peer.
    if (this.#acquired.size === 0) return this.protocol.acquire(ask, { timeout, signal });
    // Another lock keeps the peer alive: where this is given up, its answer says when it can be withdrawn for good.
    const asking = this.protocol.acquire(ask, { timeout });
    const forget = () => {
      if (this.#asking?.end === end) this.#asking = undefined;
    };
    const end = this.#lateAcquires.watch(semaphore, asking).then(forget, forget);
    this.#asking = { semaphore, end };
    return endedBy(asking, signal);
  }

  /** One restore at a time: all who need one wait for the same. */
  #make(): Promise<void> {
    this.#making ??= this.#restore().finally(() => {
      this.#making = undefined;
    });
    return this.#making;
  }

  /** With all its locks, whatever the full counts are: they are its own for as long as its lease may last. */
  async #restore(): Promise<void> {
    const sent = performance.now();
    if (this.#acquired.size > 0 && sent >= this.#heartbeat.ends) this.#lose();
    this.signal.throwIfAborted();
    this.#mayExist = true;
    this.#restores++;
    const times = { timeout: this.#timeout };
    await this.protocol.restore(this.#peer, this.#acquired, this.lease, times);
    this.#isMade = true;
    this.#heartbeat.hear(sent);
  }

  async #beat(): Promise<void> {
    const sent = performance.now();
    const times = { timeout: this.#timeout };
    if (await this.protocol.heartbeat(this.#peer, this.lease, times)) this.#heartbeat.hear(sent);
    else if (this.#acquired.size > 0) await this.#make();
    // Requests that were given up may have arrived after they were withdrawn.
    for (const semaphore of this.#lateAcquires.names()) {
      if (!this.#isWaiting && !this.#acquired.has(semaphore)) await this.#withdraw(semaphore);
    }
  }

  #lose(): void {
    if (this.signal.aborted) return;
    this.#heartbeat.stop();
    const names = [...this.#acquired.keys()].map((name) => `"${name}"`).join(', ');
    this.#lost.abort(new StoreError('ERR_HEADGATE_LEASE_LOST', `the lock on ${names} was lost`));
    // Where the service keeps it longer, nobody waits for nothing.
    const remove = () => this.protocol.remove(this.#peer, { timeout: this.#timeout });
    Promise.resolve(this.#making)
      .catch(() => {})
      .then(remove)
      .catch(() => {});
  }
}

function newPeer(): bigint {
  return randomBytes(8).readBigUInt64BE();
}
