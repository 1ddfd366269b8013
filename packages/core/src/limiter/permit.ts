/// <reference lib="esnext.disposable" preserve="true" />
import type { Held } from './held.ts';

/** How the work went: `dropped` means overload or a timeout, `ignored` that its duration says nothing. */
export type Outcome = 'ok' | 'dropped' | 'ignored';

/** What an admitted caller holds. It is given back once; a second release changes nothing. */
export interface Permit {
  readonly weight: number;
  /** Whose share of a keyed limit it takes. */
  readonly key: string | undefined;
  /** Milliseconds spent in the line; 0 when admitted at once. */
  readonly waited: number;
  /** Aborts when the client disconnects, `maxHold` has passed, or `close` has run out of patience. */
  readonly signal: AbortSignal;
  /** Gives the permit back now, whatever `waitUntil` waits for. */
  release(outcome?: Outcome): void;
  /**
   * The permit's owner (`run`, an adapter, `using`) does not give it back before `work` settles. What `work`
   * rejects with is for its other readers; here it counts as settled.
   */
  waitUntil(work: PromiseLike<unknown>): void;
  [Symbol.dispose](): void;
}

/** What the permits of limiters and gates share. Made only when somebody is admitted. */
export abstract class BasePermit implements Permit {
  released = false;
  /** When it was admitted; 0 where neither an observer nor `maxHold` asks. */
  since = 0;
  private awaited = 0;
  private ending: Outcome | undefined = undefined;
  private controller: AbortController | undefined = undefined;
  private reason: unknown = undefined;
  private watched = false;
  /** @internal The permit that this one is a part of. */
  whole: BasePermit | undefined = undefined;

  constructor(
    readonly weight: number,
    readonly waited: number,
  ) {}

  abstract get key(): string | undefined;
  /** The permits among which this one is counted. */
  protected abstract get held(): Held;
  protected abstract giveBack(outcome: Outcome): void;

  get signal(): AbortSignal {
    if (this.controller === undefined) {
      this.watch();
      this.controller = new AbortController();
      if (this.reason !== undefined) this.controller.abort(this.reason);
    }
    return this.controller.signal;
  }

  /** Somebody wants to know when it aborts. */
  watch(): void {
    this.reason ??= this.held.abandoned;
    if (this.released || this.watched) return;
    this.watched = true;
    this.held.signalled.add(this);
  }

  /** Aborts the signal; the permit stays held. */
  abort(reason: unknown): void {
    this.reason ??= reason;
    this.controller?.abort(reason);
    this.whole?.abort(reason);
  }

  release(outcome: Outcome = 'ok'): void {
    if (this.released) return;
    this.released = true;
    if (this.watched) this.held.signalled.delete(this);
    this.held.remove(this, outcome);
    this.giveBack(outcome);
  }

  waitUntil(work: PromiseLike<unknown>): void {
    this.awaited++;
    const settled = () => {
      if (--this.awaited === 0 && this.ending !== undefined) this.release(this.ending);
    };
    work.then(settled, settled);
  }

  /** The owner is done with it: gives it back as soon as nothing more is waited for. */
  end(outcome: Outcome = 'ok'): void {
    if (this.awaited === 0) this.release(outcome);
    else this.ending ??= outcome;
  }

  [Symbol.dispose](): void {
    this.end();
  }
}
