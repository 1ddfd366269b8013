import { checkDuration, checkNames } from '../checks.ts';
import { type Clock, startTimer } from '../clock.ts';
import { HeadgateError } from '../errors.ts';
import { warnOnce } from '../warning.ts';
import { MaxHold } from './max-hold.ts';
import type { Observer } from './observer.ts';
import type { BasePermit, Outcome, Register } from './permit.ts';

export interface CloseOptions {
  /** Milliseconds after which the permits' signals abort and `close` resolves. Default: Infinity. */
  timeout?: number | undefined;
  /** Ends the wait as the timeout does. */
  signal?: AbortSignal | undefined;
}

/** Before anything is closed. */
export function checkClose(options: CloseOptions = {}): void {
  checkNames('close', options, ['timeout', 'signal']);
  if (options.timeout !== undefined) checkDuration('timeout', options.timeout);
}

/** What a limiter or a gate has been told of the permits that it gives. */
export interface HoldSettings {
  readonly name: string;
  readonly clock: Clock;
  /** Milliseconds; Infinity where it is not set. */
  readonly maxHold: number;
  readonly observer: Observer;
}

/** The permits that are out: counts and reports them, takes back what is held too long, waits for the last. */
export class Ledger implements Register {
  /** Ever admitted. */
  admitted = 0;
  leaked = 0;
  #returned = 0;
  closedReason: HeadgateError | undefined = undefined;
  readonly #watched = new Set<BasePermit>();
  readonly #maxHold: MaxHold | undefined;
  /** Reading the clock twice costs more than all the rest of a run: only where somebody wants to know. */
  readonly #timed: boolean;
  /** Whether anybody wants to know anything, or ever has. */
  #attentive: boolean;
  readonly #whenEmpty = new Set<() => void>();

  constructor(
    private readonly settings: HoldSettings,
    /** Whether somebody else wants to know how long permits are held. */
    timed = false,
  ) {
    const { clock, maxHold, observer } = settings;
    if (maxHold !== Infinity) {
      this.#maxHold = new MaxHold(clock, maxHold, (permit, held) => this.#revoke(permit, held));
    }
    this.#timed = timed || maxHold !== Infinity || observer.released !== undefined;
    this.#attentive = this.#timed || observer.admitted !== undefined;
  }

  get count(): number {
    return this.admitted - this.#returned;
  }

  add(permit: BasePermit): void {
    this.admitted++;
    if (this.#attentive) this.#begin(permit);
  }

  remove(permit: BasePermit, outcome: Outcome): void {
    this.#returned++;
    if (this.#attentive) this.#end(permit, outcome);
  }

  /** Its time starts anew. */
  restart(permit: BasePermit): void {
    permit.since = this.settings.clock.now();
    this.#maxHold?.restart(permit);
  }

  watch(permit: BasePermit): void {
    this.#attentive = true;
    this.#watched.add(permit);
  }

  /** Resolves when nothing is out any more, or with how many are when the patience ends. */
  async drain({ timeout = Infinity, signal }: CloseOptions = {}): Promise<number> {
    if (this.count > 0 && signal?.aborted !== true) await this.#emptyOr(timeout, signal);
    if (this.count > 0) {
      this.closedReason = new HeadgateError(
        'ERR_HEADGATE_CLOSED',
        `"${this.settings.name}" was closed`,
      );
      for (const permit of [...this.#watched]) permit.abort(this.closedReason);
    }
    return this.count;
  }

  async #emptyOr(timeout: number, signal: AbortSignal | undefined): Promise<void> {
    let done = () => {};
    const ended = new Promise<void>((resolve) => {
      done = resolve;
    });
    const cancel = startTimer(this.settings.clock, timeout, done);
    this.#attentive = true;
    this.#whenEmpty.add(done);
    signal?.addEventListener('abort', done);
    await ended;
    signal?.removeEventListener('abort', done);
    this.#whenEmpty.delete(done);
    cancel();
  }

  #begin(permit: BasePermit): void {
    const { name, clock, observer } = this.settings;
    if (this.#timed) permit.since = clock.now();
    this.#maxHold?.add(permit);
    observer.admitted?.({ name, weight: permit.weight, waited: permit.waited });
  }

  #end(permit: BasePermit, outcome: Outcome): void {
    const { name, clock, observer } = this.settings;
    const { weight, waited, since } = permit;
    this.#watched.delete(permit);
    this.#maxHold?.remove(permit);
    observer.released?.({ name, weight, waited, held: clock.now() - since, outcome });
    if (this.count === 0) for (const resolve of this.#whenEmpty) resolve();
  }

  #revoke(permit: BasePermit, held: number): void {
    const { name, maxHold, observer } = this.settings;
    const message = `a permit of "${name}" was held for longer than maxHold (${maxHold} ms)`;
    this.leaked++;
    if (observer.leaked === undefined) warnOnce('HEADGATE_MAX_HOLD', message);
    observer.leaked?.({ name, weight: permit.weight, held });
    permit.abort(new HeadgateError('ERR_HEADGATE_MAX_HOLD', message));
    permit.release('dropped');
  }
}
