/// <reference lib="esnext.disposable" preserve="true" />
// The reference is for consumers whose own `lib` has no Symbol.dispose.

import { checkCount } from '../checks.ts';
import { HeadgateError, invalid } from '../errors.ts';
import type { Waiter } from './waiter.ts';

/** How the work went: `dropped` means overload or a timeout, `ignored` that its duration says nothing. */
export type Outcome = 'ok' | 'dropped' | 'ignored';

export const outcomes: readonly Outcome[] = ['ok', 'dropped', 'ignored'];

/** What an admitted caller holds. It is given back once; a second release changes nothing. */
export interface Permit {
  readonly weight: number;
  /** Of a keyed limit: whose. */
  readonly key: string | undefined;
  /** Milliseconds spent in the line; 0 when admitted at once. */
  readonly waited: number;
  /**
   * Of a limit that is shared with other processes: a number that is above that of every earlier permit, where the limit is 1. A resource
   * that refuses lower ones than it has seen is safe from a process that was paused for longer than its lease. Undefined where no store gave it.
   */
  readonly fencing: bigint | undefined;
  /**
   * What sort of work it is, where the caller says so: a limit that adapts does not take the slow sort for an overload of
   * the quick one. Over HTTP, the route's pattern.
   */
  kind: string | undefined;
  /**
   * Aborts when the client disconnects, `maxHold` has passed, `close` has run out of patience, or the lease of a shared
   * limit is lost or can no longer be known to hold.
   */
  readonly signal: AbortSignal;
  /**
   * Its true weight has become known: a whole number from 1, which may exceed the limit. Counts for those behind, never
   * waits; changes nothing after the release.
   *
   * @param limit Of which limit, where the permit is one of a gate: by default of those of which it takes the most.
   * @throws HeadgateError for a weight that makes no sense, or a limit of which it takes nothing.
   */
  adjust(weight: number, limit?: string): void;
  /**
   * Releases the permit now, whatever `waitUntil` waits for. As a callback, write `promise.finally(() => permit.release())`:
   * `promise.finally(permit.release)` loses `this`. Default outcome: `ok`.
   */
  release(outcome?: Outcome): void;
  /**
   * The permit's owner (`run`, an adapter, `using`) does not give it back before `work` settles. A
   * rejection of `work` counts as settled and is not reported: handle it, as in `waitUntil(work().catch(report))`.
   */
  waitUntil(work: PromiseLike<unknown>): void;
  [Symbol.dispose](): void;
}

/** What most permits never need: made on first use, so that the others stay small. */
interface Extra {
  controller?: AbortController;
  reason?: unknown;
  /** How much work is waited for. */
  awaited: number;
  kind?: string | undefined;
  /** Its request, while that waits at a later limit. */
  waiter?: Waiter | undefined;
  /** Of a limit that is divided. */
  share?: string;
  /** How it ended, when the owner was done before the work was. */
  ending?: Outcome;
}

/** Where the permits are counted that a limiter or a gate has given. */
export interface Register {
  /** Why `close` has given up on the permits that are still out. */
  readonly closedReason: unknown;
  /** Somebody wants to know when the permit aborts. */
  watch(permit: BasePermit): void;
  remove(permit: BasePermit, outcome: Outcome): void;
}

/** What the permits of limiters and gates share. */
export abstract class BasePermit implements Permit {
  released = false;
  /** When it was admitted; 0 where no observer, `maxHold` or limit that adapts asks. */
  since = 0;
  /** The permit that this one is a part of. */
  whole: BasePermit | undefined = undefined;
  protected extra: Extra | undefined = undefined;

  constructor(
    public weight: number,
    readonly waited: number,
  ) {}

  abstract get key(): string | undefined;
  /** @internal Whether it takes of this limit. */
  abstract takesOf(limit: string): boolean;
  protected abstract reweigh(weight: number, limit: string | undefined): void;
  protected abstract get register(): Register;
  protected abstract giveBack(outcome: Outcome): void;

  get signal(): AbortSignal {
    const extra = this.extras();
    if (extra.controller === undefined) {
      this.watch();
      extra.controller = new AbortController();
      if (extra.reason !== undefined) extra.controller.abort(extra.reason);
    }
    return extra.controller.signal;
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

  /** @internal Its request is to wait at a later limit, and is not at work meanwhile. */
  pause(_waiter: Waiter): void {}

  /** @internal Its request has passed the last limit. */
  resume(): void {}

  /** Somebody wants to know when it aborts. */
  watch(): void {
    if (this.register.closedReason !== undefined) this.abort(this.register.closedReason);
    else if (!this.released) this.register.watch(this);
  }

  /** Aborts the signal; the permit stays held. */
  abort(reason: unknown): void {
    const extra = this.extras();
    extra.reason ??= reason;
    try {
      extra.controller?.abort(reason);
    } catch {
      // Cloudflare Workers let no other request abort it. What follows must happen all the same.
    }
    this.whole?.abort(reason);
  }

  release(outcome: Outcome = 'ok'): void {
    if (this.released) return;
    if (outcome !== 'ok' && !outcomes.includes(outcome)) refuse(this, outcome);
    this.released = true;
    this.register.remove(this, outcome);
    this.giveBack(outcome);
  }

  adjust(weight: number, limit?: string): void {
    checkCount('weight', weight, 1);
    if (limit !== undefined && !this.takesOf(limit)) {
      throw new HeadgateError(
        'ERR_HEADGATE_KEY',
        `the permit takes nothing of "${limit}"`,
        'limit',
      );
    }
    if (!this.released) this.reweigh(weight, limit);
  }

  waitUntil(work: PromiseLike<unknown>): void {
    const extra = this.extras();
    extra.awaited++;
    const settled = () => {
      if (--extra.awaited === 0 && extra.ending !== undefined) this.release(extra.ending);
    };
    Promise.resolve(work).then(settled, settled);
  }

  /** The owner is done with it: gives it back as soon as nothing more is waited for. */
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

/** The permit is released all the same, or a misspelt outcome would leak it. */
function refuse(permit: BasePermit, outcome: unknown): never {
  permit.release('ignored');
  throw invalid('outcome', `one of ${outcomes.join(', ')}`, outcome);
}
