import { randomBytes } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { HeadgateError, StoreError } from '@headgate/core';
import { invalid } from '@headgate/core/options';
import { endedBy } from '../ended-by.ts';
import { peerForgotten } from '../failure.ts';
import type { LeaseClock } from '../host-clock.ts';
import type { Protocol } from '../protocol.ts';
import { Heartbeat } from './heartbeat.ts';
import { type RetryBounds, retryTransient, sleep } from './retry.ts';
import { Unanswered } from './unanswered.ts';

/** Maximum time in milliseconds for which a request is blocked: short enough for any proxy to keep the connection. */
const MAX_BLOCK_TIME = 5_000;
/**
 * Timeout in milliseconds of all other calls; a third of the lease if that is shorter. Also the maximum for all calls
 * of a caller that does not wait.
 */
export const MAX_TIMEOUT = 2_000;
/**
 * Maximum number of times that a peer is created for one request. A service that still does not know the peer then
 * keeps none.
 */
const MAX_RESTORES = 3;
/** Milliseconds before the next request if the service answered at once instead of blocking. */
const UNBLOCKED_DELAY = 100;

/**
 * An owner of locks, which is one peer of the service. If the service loses its state, the owner restores the peer.
 * Requests whose order matters are sent one after the other (docs/decisions/0021-order-of-one-lease.md).
 */
export class LockOwner {
  #peer = newPeer();
  readonly #acquired = new Map<string, number>();
  readonly #lost = new AbortController();
  readonly #heartbeat: Heartbeat;
  /** The timeout of all calls, except those that are blocked. */
  readonly #times: { readonly timeout: number };
  /** Whether the service has the peer, as far as its answers say. */
  #existsAtService = false;
  /** Whether a request to create the peer was sent. */
  #mayExist = false;
  #isWaiting = false;
  /** The latest heartbeat. */
  #beating: Promise<void> = Promise.resolve();
  /** The restore in flight. */
  #restoring: Promise<void> | undefined;
  /** The number of restores sent. */
  #restores = 0;
  /** The acquire that is in flight. Its caller may have given up. */
  #acquiring: { readonly semaphore: string; readonly end: Promise<unknown> } | undefined;
  /** The releases in flight. */
  readonly #releases = new Set<Promise<void>>();
  /** Unanswered requests, which may still arrive at the service. */
  readonly #lateAcquires: Unanswered;
  readonly #lateReleases: Unanswered;

  constructor(
    private readonly protocol: Protocol,
    private readonly leaseDuration: number,
    private readonly clock: LeaseClock,
  ) {
    // The holder may pass the signal to any number of listeners. Node 20 would warn at the eleventh.
    setMaxListeners(0, this.signal);
    this.#times = { timeout: Math.min(MAX_TIMEOUT, leaseDuration / 3) };
    this.#lateAcquires = new Unanswered(leaseDuration);
    this.#lateReleases = new Unanswered(leaseDuration);
    this.#heartbeat = new Heartbeat({
      ...{ leaseDuration, clock },
      beat: () => {
        this.#beating = this.#beat().catch(() => {});
        return this.#beating;
      },
      lost: () => this.#lose(),
    });
  }

  /** Aborts when the locks may have expired and been granted to another peer. */
  get signal(): AbortSignal {
    return this.#lost.signal;
  }

  /**
   * Acquires the lock. Returns whether it succeeded in time. If it did not, or if this rejects, the request may still
   * be queued at the service.
   */
  async acquire(semaphore: string, count: number, bounds: RetryBounds): Promise<boolean> {
    this.#isWaiting = true;
    try {
      await endedBy(this.#releasesDone(semaphore), bounds.signal);
      for (;;) {
        const isHeld = await retryTransient(() => this.#ask(semaphore, count, bounds), bounds);
        if (isHeld || performance.now() >= bounds.until) return isHeld;
      }
    } finally {
      this.#isWaiting = false;
    }
  }

  /** @throws HeadgateError if the owner is already waiting for a lock, or already holds this one. */
  checkIdle(semaphore: string): void {
    if (this.#isWaiting) {
      const message =
        'the owner of this lock is already waiting for another one: it can wait for one at a time';
      throw new HeadgateError('ERR_HEADGATE_WAITING', message);
    }
    if (this.#acquired.has(semaphore)) {
      throw invalid('semaphore', 'a semaphore that the owner does not hold yet', semaphore);
    }
  }

  /**
   * Releases a lock, or withdraws its request. Resolves when the service has confirmed that, or when no further attempt
   * is made.
   */
  release(semaphore: string): Promise<void> {
    this.#acquired.delete(semaphore);
    if (this.#acquired.size === 0) this.#heartbeat.stop();
    const release = this.#release(semaphore).finally(() => this.#releases.delete(release));
    this.#releases.add(release);
    return release;
  }

  async #release(semaphore: string): Promise<void> {
    // A heartbeat or restore in flight may be about to restore the lock being released.
    await this.#beating;
    await this.#restoring?.catch(() => {});
    if (!this.#mayExist || this.signal.aborted) return;
    const until = performance.now() + this.#heartbeat.timeLeft;
    if (this.#acquired.size === 0 && !this.#isWaiting) {
      await retryTransient(this.#retire(), { until }).catch(() => {});
      return;
    }
    const asking = this.#acquiring;
    await retryTransient(() => this.#withdraw(semaphore), { until }).catch(() => {});
    if (asking?.semaphore !== semaphore) return;
    // Withdraws once more, since the acquire may have reached the service after the withdrawal.
    await asking.end;
    await retryTransient(() => this.#withdraw(semaphore), { until }).catch(() => {});
  }

  /**
   * Switches to a new peer, and returns a function that removes the old one. A new peer is needed because the removal
   * may reach the service after the next request.
   */
  #retire(): () => Promise<unknown> {
    const peer = this.#peer;
    this.#peer = newPeer();
    this.#existsAtService = false;
    this.#mayExist = false;
    return () => this.protocol.remove(peer, this.#times);
  }

  async #withdraw(semaphore: string): Promise<void> {
    const release = this.protocol.release(this.#peer, semaphore, this.#times);
    await this.#lateReleases.watch(semaphore, release);
  }

  /** Resolves when no earlier release can reach the service any more, and so release a new lock. */
  async #releasesDone(semaphore: string): Promise<void> {
    while (this.#releases.size > 0) await Promise.all(this.#releases);
    await this.#beating;
    if (this.#mayExist) await sleep(this.#lateReleases.timeLeft(semaphore));
  }

  async #ask(semaphore: string, count: number, { until, signal }: RetryBounds): Promise<boolean> {
    for (let attempts = 0; ; ) {
      if (!this.#existsAtService) {
        if (attempts === MAX_RESTORES) throw peerForgotten();
        await endedBy(this.#restoreOnce(), signal);
        attempts++;
      }
      signal?.throwIfAborted();
      this.signal.throwIfAborted();
      const [sent, restores, left] = [this.clock.now(), this.#restores, until - performance.now()];
      const blockFor = Math.min(Math.max(left, 0), MAX_BLOCK_TIME, this.leaseDuration / 3);
      const outcome = await this.#acquire(semaphore, count, blockFor, signal);
      // The answer is void: a restore that was sent meanwhile did not include this lock.
      if (restores !== this.#restores) continue;
      if (outcome === 'unknown') {
        this.#existsAtService = false;
        continue;
      }
      this.#heartbeat.hear(sent);
      if (outcome === 'held') {
        this.#acquired.set(semaphore, count);
        this.#heartbeat.start();
        return true;
      }
      // A service that is shutting down answers at once.
      if (this.clock.now() - sent < blockFor / 2) await sleep(UNBLOCKED_DELAY, signal);
      return false;
    }
  }

  #acquire(semaphore: string, count: number, blockFor: number, signal: AbortSignal | undefined) {
    const ask = { peer: this.#peer, semaphore, count, expiresIn: this.leaseDuration, blockFor };
    const timeout = blockFor + this.#times.timeout;
    // If the caller gives up, removing the peer releases the lock.
    if (this.#acquired.size === 0) return this.protocol.acquire(ask, { timeout, signal });
    // The peer must stay, since it holds other locks. If the caller gives up, the answer to this request shows when the
    // request can be withdrawn for good.
    const asking = this.protocol.acquire(ask, { timeout });
    const forget = () => {
      if (this.#acquiring?.end === end) this.#acquiring = undefined;
    };
    const end = this.#lateAcquires.watch(semaphore, asking).then(forget, forget);
    this.#acquiring = { semaphore, end };
    return endedBy(asking, signal);
  }

  /** Restores the peer, once for all concurrent callers. */
  #restoreOnce(): Promise<void> {
    this.#restoring ??= this.#restore().finally(() => {
      this.#restoring = undefined;
    });
    return this.#restoring;
  }

  /** Restores the peer with all its locks, even beyond the full counts, since it owns them until its lease expires. */
  async #restore(): Promise<void> {
    const sent = this.clock.now();
    if (this.#acquired.size > 0 && this.#heartbeat.timeLeft <= 0) this.#lose();
    this.signal.throwIfAborted();
    this.#mayExist = true;
    this.#restores++;
    await this.protocol.restore(this.#peer, this.#acquired, this.leaseDuration, this.#times);
    this.#existsAtService = true;
    this.#heartbeat.hear(sent);
  }

  async #beat(): Promise<void> {
    const sent = this.clock.now();
    if (await this.protocol.heartbeat(this.#peer, this.leaseDuration, this.#times))
      this.#heartbeat.hear(sent);
    else if (this.#acquired.size > 0) await this.#restoreOnce();
    // Withdraws the requests of callers that have given up, since they may have reached the service after they were
    // withdrawn.
    for (const semaphore of this.#lateAcquires.names()) {
      if (!this.#isWaiting && !this.#acquired.has(semaphore)) await this.#withdraw(semaphore);
    }
  }

  #lose(): void {
    if (this.signal.aborted) return;
    this.#heartbeat.stop();
    const names = [...this.#acquired.keys()].map((name) => `"${name}"`).join(', ');
    this.#lost.abort(new StoreError('ERR_HEADGATE_LEASE_LOST', `the lock on ${names} was lost`));
    // Removes the peer, which the service may keep for longer, so that other waiters are granted sooner.
    const remove = () => this.protocol.remove(this.#peer, this.#times);
    Promise.resolve(this.#restoring)
      .catch(() => {})
      .then(remove)
      .catch(() => {});
  }
}

function newPeer(): bigint {
  return randomBytes(8).readBigUInt64BE();
}
