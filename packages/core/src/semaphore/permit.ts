/// <reference lib="esnext.disposable" preserve="true" />
// The reference is for consumers whose own `lib` lacks Symbol.dispose.

import { checkCount } from '../checks.ts';
import { HeadgateError, invalid } from '../errors.ts';
import { type Outcome, outcomes } from '../limits/limit.ts';
import { createController } from '../runtime.ts';
import type { AdmittedRequest } from './admitted-request.ts';
import type { RejectionCause } from './rejection.ts';

/** Held by an admitted caller. It is released once; a second release has no effect. */
export interface Permit {
  /** How much of the limit it uses. For a gate of several limits: the highest weight on any of them. */
  readonly weight: number;
  /** The key that the permit counts against, if the limit is keyed. */
  readonly key: string | undefined;
  /** Milliseconds spent in the queue; 0 if the request did not queue. */
  readonly waited: number;
  /**
   * Fencing token of a distributed limit of 1: a number higher than the tokens of all earlier permits. If a resource
   * refuses a token lower than the highest it has seen, a process that was paused for longer than its lease cannot
   * damage it. Undefined if no store has issued a token.
   */
  readonly fencing: bigint | undefined;
  /**
   * The kind of work. An adaptive limit has a latency baseline for each kind, so that slow kinds do not look like an
   * overload of fast ones. Over HTTP, the kind is the route's pattern, and requests of one kind are taken to wait for the
   * same things. Default: undefined.
   */
  kind: string | undefined;
  /**
   * Aborts when the client disconnects or no longer waits, `maxHold` has passed, `close` times out, or the lease of a
   * distributed limit is lost or may have expired.
   */
  readonly signal: AbortSignal;
  /**
   * Corrects the weight once it is known: a whole number from 1, which may exceed the limit. Later grants take it into
   * account at once; the call itself never waits. After the release, it only corrects what `fair()` charges.
   *
   * @param limit Name of the limit to correct, for a permit of a gate. Default: each limit on which the permit has its
   * highest weight.
   * @throws HeadgateError for an invalid weight; for a limit that the permit does not count against; and for a changed
   * weight if the limit's store cannot resize leases.
   */
  adjust(weight: number, limit?: string): void;
  /**
   * Ends the time that an adaptive limit judges: at the first token, say, of an answer that is then streamed. The
   * permit is still held and counted. Later calls have no effect. Default: that time ends with the release. The default
   * limit ignores it: there, that time ends when the response begins.
   */
  mark(): void;
  /**
   * Releases the permit now, even if work passed to `waitUntil` has not settled. Default outcome: `ok`. As a callback,
   * write `promise.finally(() => permit.release())`: `promise.finally(permit.release)` loses `this`.
   *
   * @throws HeadgateError for an unknown outcome; the permit is released anyway.
   */
  release(outcome?: Outcome): void;
  /**
   * Makes the permit's owner (`run`, an adapter, `using`) hold it until `work` has settled. If `work` rejects, it
   * counts as settled, and the error is not reported: handle it, as in `waitUntil(work().catch(report))`.
   */
  waitUntil(work: PromiseLike<unknown>): void;
  /** Releases the permit, at the end of a block with `using permit = …`. */
  [Symbol.dispose](): void;
}

/** State that few permits need. Allocated on first use, so that other permits stay small. */
interface Extra {
  controller?: AbortController;
  reason?: unknown;
  /** Number of unsettled promises passed to `waitUntil`. */
  awaited: number;
  kind?: string | undefined;
  /** The permit's request, while it is queued at a later limit of its gate. */
  holder?: PermitHolder | undefined;
  /** What the limit's order knows of the request. */
  request?: AdmittedRequest | undefined;
  /** The outcome that the owner has reported, while work passed to `waitUntil` is unsettled. */
  ending?: Outcome;
  /** Why the permit is held but does not count, as `LocalPermit` says. */
  uncounted?: 'paused' | 'stopped' | 'stuck' | undefined;
  /** Whether `mark` has ended the time that an adaptive limit judges. */
  isJudged?: boolean;
  /** When the permit began to count again, if it has. */
  countedSince?: number;
}

/** A request that holds permits of some limits of a gate while it is queued at a later one. */
export interface PermitHolder {
  /** Called when one of its permits has lost its lease. */
  leaseLost(cause: RejectionCause): void;
}

/** Tracks the permits that a limiter or a gate has granted. */
export interface PermitRegistry {
  /** The reason with which the signals of held permits abort. Set when `close` has timed out. */
  readonly closedReason: unknown;
  /** Registers the permit to be aborted when `close` times out. */
  watch(permit: BasePermit): void;
  /** Counts the permit as abandoned. */
  countAbandoned(permit: BasePermit): void;
  remove(permit: BasePermit, outcome: Outcome): void;
}

/** Base class of the permits of limiters and gates. */
export abstract class BasePermit implements Permit {
  released = false;
  // Declared without a value, so that most permits allocate no fields for them.
  /** Time of the admission, if an observer, `maxHold` or an adaptive limit needed it then. */
  declare since: number;
  /** The gate's permit that this permit is a part of. */
  declare whole: BasePermit | undefined;
  /** Identifies the request in events, if there is an observer. */
  declare identity: object | undefined;
  protected extra: Extra | undefined = undefined;

  constructor(
    public weight: number,
    readonly waited: number,
  ) {}

  abstract get key(): string | undefined;
  /** @internal Whether the permit counts against the limit of this name. */
  abstract countsAgainst(limit: string): boolean;

  /** @internal Whether the owner is done, so that at most work passed to `waitUntil` holds the permit. */
  get isOwnerDone(): boolean {
    return this.released || this.extra?.ending !== undefined;
  }

  /** @internal Whether the permit counts against the limit of this name now. */
  counts(limit: string): boolean {
    return this.countsAgainst(limit) && this.extra?.uncounted === undefined;
  }

  protected abstract changeWeight(weight: number, limit: string | undefined): void;
  protected abstract get registry(): PermitRegistry;
  /** @param weight The weight at the release: a callback may have adjusted it since. */
  protected abstract returnWeight(outcome: Outcome, weight: number): void;

  get signal(): AbortSignal {
    const extra = this.extras();
    if (extra.controller === undefined) {
      this.watch();
      extra.controller = createController();
      if (extra.reason !== undefined) extra.controller.abort(extra.reason);
    }
    return extra.controller.signal;
  }

  /** @internal Whether anything has read the signal. */
  get hasSignal(): boolean {
    return this.extra?.controller !== undefined;
  }

  /** @internal Called when the client has left and the permit is still held. */
  countAbandoned(): void {
    if (!this.released) this.registry.countAbandoned(this);
  }

  get fencing(): bigint | undefined {
    return undefined;
  }

  get kind(): string | undefined {
    return this.extra?.kind ?? this.whole?.kind;
  }

  set kind(kind: string | undefined) {
    this.extras().kind = kind;
  }

  /** @internal Called when the permit's request is queued at a later limit of its gate, and does no work meanwhile. */
  holdFor(_request: PermitHolder): void {}

  /** @internal Called when the last limit of its gate has admitted the permit's request. */
  startWork(): void {}

  /**
   * @internal Whether the permit belongs to a default limit, which does not count requests that only wait for their
   * client.
   */
  get isControlled(): boolean {
    return false;
  }

  /**
   * @internal Stops counting the permit against its limit until `countAgain`. It is still held: `close` waits for it.
   * Only for a limit without keys: a keyed limit would evict a key whose only permit does not count.
   */
  pauseCounting(): void {}

  /** @internal Counts the permit again, even if that exceeds the limit. */
  countAgain(): void {}

  /**
   * @internal Stops counting the permit for good, since its work is done. It is still held.
   *
   * @param _outcome Outcome of the work, for an adaptive limit. Default: `ok`.
   * @param _maxDelay The work ended at most this many milliseconds ago. Default: 0.
   */
  stopCounting(_outcome?: Outcome, _maxDelay?: number): void {}

  mark(): void {}

  /** Registers the permit to be aborted when `close` times out. Aborts it at once if that has happened already. */
  watch(): void {
    if (this.registry.closedReason !== undefined) this.abort(this.registry.closedReason);
    else if (!this.released) this.registry.watch(this);
  }

  /** Aborts the signal; the permit stays held. */
  abort(reason: unknown): void {
    const extra = this.extras();
    extra.reason ??= reason;
    try {
      extra.controller?.abort(reason);
    } catch {
      // On Cloudflare Workers, only the request that has created a controller can abort it. The signal of the gate's
      // permit must be aborted anyway.
    }
    this.whole?.abort(reason);
  }

  release(outcome: Outcome = 'ok'): void {
    if (this.released) return;
    if (outcome !== 'ok') checkOutcome(this, outcome);
    this.released = true;
    const { weight } = this;
    this.registry.remove(this, outcome);
    this.returnWeight(outcome, weight);
  }

  adjust(weight: number, limit?: string): void {
    checkCount('weight', weight, 1);
    if (limit !== undefined && !this.countsAgainst(limit)) {
      throw new HeadgateError(
        'ERR_HEADGATE_KEY',
        `the permit does not count against limit "${limit}"`,
        'limit',
      );
    }
    this.changeWeight(weight, limit);
  }

  waitUntil(work: PromiseLike<unknown>): void {
    const extra = this.extras();
    extra.awaited++;
    const settled = () => {
      if (--extra.awaited === 0 && extra.ending !== undefined) this.release(extra.ending);
    };
    Promise.resolve(work).then(settled, settled);
  }

  /** Called when the owner is done: releases the permit once all work passed to `waitUntil` has settled. */
  end(outcome: Outcome = 'ok'): void {
    const { extra } = this;
    if (extra === undefined || extra.awaited === 0) this.release(outcome);
    else extra.ending ??= outcome;
  }

  [Symbol.dispose](): void {
    this.end();
  }

  protected extras(): Extra {
    this.extra ??= { awaited: 0 };
    return this.extra;
  }
}

/** Releases a permit whose outcome is misspelt, and then throws. Without the release, the permit would leak. */
function checkOutcome(permit: BasePermit, outcome: Outcome): void {
  if (outcomes.includes(outcome)) return;
  permit.release('ignored');
  throw invalid('outcome', `one of ${outcomes.join(', ')}`, outcome);
}
