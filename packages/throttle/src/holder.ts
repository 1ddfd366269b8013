import { randomBytes } from 'node:crypto';
import { HeadgateError, invalid, StoreError } from '@headgate/core/shared';
import { forgetful } from './failure.ts';
import { Heartbeat } from './heartbeat.ts';
import { type Patience, persist, rest } from './persist.ts';
import type { Protocol } from './protocol.ts';

/** Milliseconds for which a request is blocked: no proxy takes it for dead. */
const longestBlock = 5_000;
/** Milliseconds that other calls take, or a third of the lease. */
const longestCall = 2_000;
/** How often a peer is made for one request: a service that does not know it then forgets all of them. */
const mostMade = 3;
/** Milliseconds between two requests that were to be blocked, and were not. */
const pause = 100;

/** One peer of the service, and the locks that it holds. It is restored where the service has lost its state. */
export class Holder {
  readonly #peer = randomBytes(8).readBigUInt64BE();
  readonly #acquired = new Map<string, number>();
  readonly #lost = new AbortController();
  readonly #heartbeat: Heartbeat;
  readonly #timeout: number;
  /** Whether the service has it, as far as its answers say. */
  #isMade = false;
  /** Whether the service was asked to make it. */
  #mayExist = false;
  #isWaiting = false;
  /** The heartbeat that is under way, or was. */
  #beating: Promise<void> = Promise.resolve();

  constructor(
    private readonly protocol: Protocol,
    private readonly lease: number,
  ) {
    this.#timeout = Math.min(longestCall, lease / 3);
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

  /** Gives a lock back, or waits for it no longer; resolves when the service has heard, or is not told any more. */
  async release(semaphore: string): Promise<void> {
    this.#acquired.delete(semaphore);
    if (this.#acquired.size === 0) this.#heartbeat.stop();
    // It may be about to restore what is given back.
    await this.#beating;
    const isLast = this.#acquired.size === 0 && !this.#isWaiting;
    if (!this.#mayExist || this.signal.aborted) return;
    const times = { timeout: this.#timeout };
    const tell = () =>
      isLast
        ? this.protocol.remove(this.#peer, times)
        : this.protocol.release(this.#peer, semaphore, times);
    await persist(tell, { until: this.#heartbeat.ends }).catch(() => {});
  }

  async #ask(semaphore: string, count: number, { until, signal }: Patience): Promise<boolean> {
    for (let made = 0; ; ) {
      if (!this.#isMade) {
        if (made === mostMade) throw forgetful();
        await this.#make();
        made++;
      }
      signal?.throwIfAborted();
      this.signal.throwIfAborted();
      const sent = performance.now();
      const blockFor = Math.min(Math.max(until - sent, 0), longestBlock, this.lease / 3);
      const outcome = await this.protocol.acquire(
        { peer: this.#peer, semaphore, count, expiresIn: this.lease, blockFor },
        { timeout: blockFor + this.#timeout, signal },
      );
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

  /** With all its locks, whatever the full counts are: they are its own for as long as its lease may last. */
  async #make(): Promise<void> {
    const sent = performance.now();
    if (this.#acquired.size > 0 && sent >= this.#heartbeat.ends) this.#lose();
    this.signal.throwIfAborted();
    this.#mayExist = true;
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
  }

  #lose(): void {
    if (this.signal.aborted) return;
    this.#heartbeat.stop();
    const names = [...this.#acquired.keys()].map((name) => `"${name}"`).join(', ');
    this.#lost.abort(new StoreError('ERR_HEADGATE_LEASE_LOST', `the lock on ${names} was lost`));
    // Where the service keeps it longer, nobody waits for nothing.
    this.protocol.remove(this.#peer, { timeout: this.#timeout }).catch(() => {});
  }
}
