import { checkDuration, checkNames, checkSignal } from '../checks.ts';
import { Alarm, type Clock, startTimer } from '../clock.ts';
import { HeadgateError } from '../errors.ts';
import type { Outcome } from '../limits/limit.ts';
import { warnOnce } from '../warning.ts';
import type { Observers } from './observers.ts';
import type { BasePermit, PermitRegistry } from './permit.ts';
import { endIdentity, type Waiter } from './waiter.ts';

export interface CloseOptions {
  /** Milliseconds after which the permits' signals abort and `close` resolves. Default: Infinity. */
  timeout?: number | undefined;
  /** When it aborts, the wait ends as after the timeout. */
  signal?: AbortSignal | undefined;
}

/** Checks the options before anything is closed. */
export function checkClose(options: CloseOptions = {}): void {
  checkNames('close', options, ['timeout', 'signal']);
  const { timeout = 0, signal } = options;
  checkDuration('timeout', timeout);
  checkSignal(signal);
}

/** Settings of a limiter or a gate that concern its permits. */
export interface HoldSettings {
  readonly name: string;
  readonly clock: Clock;
  /** Milliseconds; Infinity by default. */
  readonly maxHold: number;
  readonly observers: Observers;
}

/**
 * Tracks the permits that are held: counts and reports them, enforces `maxHold`, and waits until all are released.
 * Members that every permit uses are `private` rather than `#`, since V8 does not inline the code that `#` adds.
 */
export class PermitTracker implements PermitRegistry {
  /** Total number of permits ever granted. */
  admitted = 0;
  leaked = 0;
  private returned = 0;
  closedReason: HeadgateError | undefined = undefined;
  readonly #watched = new Set<BasePermit>();
  readonly #abandoned = new Set<BasePermit>();
  readonly #maxHold: MaxHold | undefined;
  /**
   * Whether to record hold times. Off unless needed, since reading the clock twice costs more than the rest of a `run`.
   */
  #timed = false;
  /** Whether grants and releases need more work than counting. */
  private tracksEach = false;
  readonly #whenEmpty = new Set<() => void>();

  constructor(
    private readonly settings: HoldSettings,
    /** Whether the caller needs hold times. */
    private readonly needsTimes = false,
  ) {
    const { clock, maxHold, observers } = settings;
    if (maxHold !== Infinity) {
      this.#maxHold = new MaxHold(clock, maxHold, (permit, held) => this.#revoke(permit, held));
    }
    this.#decide();
    observers.whenChanged(() => this.#decide());
  }

  /** Decides what to record: once rather than for each permit, since most limits have no observer. */
  #decide(): void {
    const { admitted, released } = this.settings.observers;
    this.#timed = this.needsTimes || this.#maxHold !== undefined || released !== undefined;
    const isAwaited = this.#watched.size + this.#abandoned.size + this.#whenEmpty.size > 0;
    this.tracksEach = this.#timed || admitted !== undefined || isAwaited;
  }

  get count(): number {
    return this.admitted - this.returned;
  }

  /** Number of permits that are held although their clients have left. */
  get abandoned(): number {
    return this.#abandoned.size;
  }

  /** @param waiter The waiter of the request that was granted the permit, if it has one. */
  add(permit: BasePermit, waiter?: Waiter): void {
    this.admitted++;
    if (this.tracksEach) this.begin(permit, waiter);
  }

  remove(permit: BasePermit, outcome: Outcome): void {
    this.returned++;
    if (this.tracksEach) this.end(permit, outcome);
  }

  /** Restarts the permit's hold time. */
  restart(permit: BasePermit): void {
    permit.since = this.settings.clock.now();
    this.#maxHold?.restart(permit);
  }

  watch(permit: BasePermit): void {
    this.tracksEach = true;
    this.#watched.add(permit);
  }

  countAbandoned(permit: BasePermit): void {
    this.tracksEach = true;
    this.#abandoned.add(permit);
  }

  /**
   * Resolves to 0 when all permits are released. After the timeout or abort, resolves to the number of permits still
   * held.
   */
  async drain({ timeout = Infinity, signal }: CloseOptions = {}): Promise<number> {
    if (this.count === 0 || (!signal?.aborted && (await this.#empties(timeout, signal)))) return 0;
    if (this.count > 0) {
      const message = `"${this.settings.name}" was closed`;
      this.closedReason = new HeadgateError('ERR_HEADGATE_CLOSED', message);
      for (const permit of [...this.#watched]) permit.abort(this.closedReason);
    }
    return this.count;
  }

  /**
   * Resolves to whether all permits were released before the timeout or abort. In shadow mode, further permits may be
   * granted right after that.
   */
  #empties(timeout: number, signal: AbortSignal | undefined): Promise<boolean> {
    this.tracksEach = true;
    return new Promise((resolve) => {
      const end = (isEmpty: boolean) => {
        signal?.removeEventListener('abort', ended);
        this.#whenEmpty.delete(emptied);
        cancel();
        resolve(isEmpty);
      };
      const emptied = () => end(true);
      const ended = () => end(false);
      const cancel = startTimer(this.settings.clock, timeout, ended);
      this.#whenEmpty.add(emptied);
      signal?.addEventListener('abort', ended);
    });
  }

  private begin(permit: BasePermit, waiter: Waiter | undefined): void {
    const { name, clock, observers } = this.settings;
    const { admitted, released } = observers;
    if (this.#timed) permit.since = clock.now();
    this.#maxHold?.add(permit);
    if (admitted === undefined && released === undefined) return;
    const request = waiter === undefined ? {} : endIdentity(waiter);
    permit.identity = request;
    admitted?.({ name, request, weight: permit.weight, waited: permit.waited });
  }

  private end(permit: BasePermit, outcome: Outcome): void {
    const { name, clock, observers } = this.settings;
    this.#watched.delete(permit);
    if (this.#abandoned.delete(permit)) this.#decide();
    this.#maxHold?.remove(permit);
    if (observers.released !== undefined) {
      const { identity: request = {}, weight, waited, since } = permit;
      const held = since === undefined ? undefined : clock.now() - since;
      observers.released({ name, request, weight, waited, held, outcome });
    }
    if (this.count === 0) for (const resolve of this.#whenEmpty) resolve();
  }

  #revoke(permit: BasePermit, held: number): void {
    const { name, maxHold, observers } = this.settings;
    const message = `a permit of "${name}" was held for longer than maxHold (${maxHold} ms)`;
    this.leaked++;
    if (observers.leaked === undefined) warnOnce('HEADGATE_MAX_HOLD', message);
    observers.leaked?.({ name, weight: permit.weight, held });
    permit.abort(new HeadgateError('ERR_HEADGATE_MAX_HOLD', message));
    permit.release('dropped');
  }
}

/** Reports permits that are held for longer than `maxHold`, with one timer for all of them. */
class MaxHold {
  /** Oldest permit first. */
  readonly #byAge = new Set<BasePermit>();
  readonly #alarm: Alarm;

  constructor(
    private readonly clock: Clock,
    private readonly maxHold: number,
    private readonly leaked: (permit: BasePermit, held: number) => void,
  ) {
    this.#alarm = new Alarm(clock, (now) => this.#sweep(now), true);
  }

  add(permit: BasePermit): void {
    this.#byAge.add(permit);
    this.#alarm.set(permit.since + this.maxHold, permit.since);
  }

  remove(permit: BasePermit): void {
    this.#byAge.delete(permit);
  }

  /** Restarts the permit's hold time, so it expires last. */
  restart(permit: BasePermit): void {
    if (this.#byAge.delete(permit)) this.#byAge.add(permit);
  }

  #sweep(due: number): void {
    for (const permit of this.#byAge) {
      const now = Math.max(due, this.clock.now());
      const deadline = permit.since + this.maxHold;
      if (deadline > now) return this.#alarm.set(deadline, now);
      this.leaked(permit, now - permit.since);
    }
  }
}
