import type { Clock } from '../clock.ts';
import { longestTimer } from '../clock.ts';
import { HeadgateError } from '../errors.ts';
import { checkDuration } from '../options.ts';
import { warnOnce } from '../warning.ts';
import { type Observer, tell } from './observer.ts';
import type { BasePermit, Outcome } from './permit.ts';

export interface CloseOptions {
  /** Milliseconds after which the permits' signals abort and `close` resolves. Default: Infinity. */
  timeout?: number | undefined;
  /** Ends the wait as the timeout does. */
  signal?: AbortSignal | undefined;
}

/** The permits that are out: counts and reports them, takes back what is held too long, waits for the last. */
export class Held {
  count = 0;
  /** Ever admitted. */
  total = 0;
  leaked = 0;
  /** Why `close` has given up on the permits that are still out. */
  abandoned: HeadgateError | undefined = undefined;
  /** Permits of which somebody wants to know when they abort. */
  readonly watched = new Set<BasePermit>();
  /** With `maxHold`: what is out, the longest held first. */
  readonly #byAge = new Set<BasePermit>();
  readonly #timed: boolean;
  #timer: unknown;
  #whenEmpty: (() => void)[] = [];

  constructor(
    private readonly name: string,
    private readonly clock: Clock,
    private readonly maxHold: number,
    private readonly observer: Observer | undefined,
  ) {
    // Reading the clock twice costs more than all the rest of a run: only where somebody wants to know.
    this.#timed = maxHold !== Number.POSITIVE_INFINITY || observer !== undefined;
  }

  add(permit: BasePermit): void {
    this.count++;
    this.total++;
    if (this.#timed) this.#time(permit);
  }

  remove(permit: BasePermit, outcome: Outcome): void {
    this.count--;
    if (this.watched.size > 0) this.watched.delete(permit);
    if (this.#timed) this.#untime(permit, outcome);
    if (this.count === 0 && this.#whenEmpty.length > 0) {
      for (const resolve of this.#whenEmpty.splice(0)) resolve();
    }
  }

  /** Resolves when nothing is out any more, or with how many are when the patience ends. */
  async drain({ timeout = Number.POSITIVE_INFINITY, signal }: CloseOptions = {}): Promise<number> {
    checkDuration('timeout', timeout);
    if (this.count === 0) return 0;
    await this.#emptyOr(timeout, signal);
    if (this.count > 0) {
      this.abandoned = new HeadgateError('ERR_HEADGATE_CLOSED', `"${this.name}" was closed`);
      for (const permit of [...this.watched]) permit.abort(this.abandoned);
    }
    return this.count;
  }

  #emptyOr(timeout: number, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve) => {
      const bounded = timeout <= longestTimer;
      const timer = bounded ? this.clock.setTimeout(() => done(), timeout) : undefined;
      const done = () => {
        if (bounded) this.clock.clearTimeout(timer);
        signal?.removeEventListener('abort', done);
        resolve();
      };
      this.#whenEmpty.push(done);
      signal?.addEventListener('abort', done);
      if (signal?.aborted) done();
    });
  }

  #time(permit: BasePermit): void {
    permit.since = this.clock.now();
    if (this.observer !== undefined) {
      const { weight, waited } = permit;
      tell(this.observer, 'admitted', { name: this.name, weight, waited });
    }
    if (this.maxHold === Number.POSITIVE_INFINITY) return;
    this.#byAge.add(permit);
    this.#arm(this.maxHold);
  }

  #untime(permit: BasePermit, outcome: Outcome): void {
    this.#byAge.delete(permit);
    if (this.observer === undefined) return;
    const { weight, waited } = permit;
    const held = this.clock.now() - permit.since;
    tell(this.observer, 'released', { name: this.name, weight, waited, held, outcome });
  }

  #arm(delay: number): void {
    if (this.#timer !== undefined) return;
    this.#timer = this.clock.setTimeout(() => this.#sweep(), Math.min(delay, longestTimer));
    // A permit that nobody gives back must not keep a process alive that is otherwise done.
    (this.#timer as { unref?: () => void }).unref?.();
  }

  #sweep(): void {
    this.#timer = undefined;
    for (const permit of this.#byAge) {
      const held = this.clock.now() - permit.since;
      if (held < this.maxHold) return this.#arm(this.maxHold - held);
      this.#takeBack(permit, held);
    }
  }

  #takeBack(permit: BasePermit, held: number): void {
    this.leaked++;
    const message = `a permit of "${this.name}" was held for longer than maxHold (${this.maxHold} ms)`;
    if (this.observer?.leaked) {
      tell(this.observer, 'leaked', { name: this.name, weight: permit.weight, held });
    } else warnOnce('HEADGATE_MAX_HOLD', message);
    permit.abort(new HeadgateError('ERR_HEADGATE_MAX_HOLD', message));
    permit.release('dropped');
  }
}
