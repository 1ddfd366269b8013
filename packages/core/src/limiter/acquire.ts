import { invalid } from '../errors.ts';
import type { BasePermit, Permit } from '../semaphore/permit.ts';
import { RejectedError, type Rejection } from '../semaphore/rejection.ts';
import { keyText } from '../semaphore/request.ts';
import { Waiter } from '../semaphore/waiter.ts';
import {
  type CommonWaitOptions,
  checkAcquireOptions,
  checkOrderOption,
  type Ordered,
  type WaitOptions,
} from './acquire-options.ts';
import type { Limiter } from './limiter.ts';
import { rejectLater } from './reject-later.ts';

/** A function that runs with a permit. The permit is held until the promise that it returns has settled. */
export type Callback<T> = (permit: Permit) => T | PromiseLike<T>;

/** Used when the caller passes no options, which then need no check. */
export const noOptions = {};

/** Requests a permit from a limiter, and resolves to it. */
export function acquireFrom(limiter: Limiter, options: WaitOptions = noOptions): Promise<Permit> {
  return new Promise((resolve, reject) => {
    checkWait('acquire', options, limiter);
    request(new Acquisition(resolve, reject), limiter, options);
  });
}

/** Checks the options of a request. */
export function checkWait(owner: string, options: WaitOptions, limiter: Ordered): void {
  if (options === noOptions) return;
  checkAcquireOptions(owner, options);
  const { priority, fairBy } = options;
  if (priority !== undefined) checkOrderOption('priority', priority, [limiter]);
  if (fairBy !== undefined) checkOrderOption('fairBy', fairBy, [limiter]);
}

function request(waiter: SignalWaiter, limiter: Limiter, options: WaitOptions): void {
  if (options !== noOptions) {
    const { signal } = options;
    if (signal?.aborted) return waiter.fail(signal.reason);
    if (options.key !== undefined) waiter.key = keyText(options.key);
    if (options.weight !== undefined) waiter.weight = options.weight;
    if (options.limit !== undefined) waiter.limit = options.limit;
    if (options.share !== undefined) waiter.share = options.share;
    waiter.waitWith(options, limiter);
  }
  limiter.request(waiter);
}

/** @throws HeadgateError if `fn` is not a function, as in `run(work())` instead of `run(work)`. */
export function checkCallback(fn: unknown): void {
  if (typeof fn !== 'function') throw invalid('fn', 'a function', fn);
}

/**
 * Calls `fn` with a permit, and ends the permit when `fn` has settled. Not an async function, which would allocate more
 * and run slower.
 */
export function callWith<T>(permit: BasePermit, fn: Callback<T>): Promise<T> {
  let result: Promise<T>;
  try {
    result = Promise.resolve(fn(permit));
  } catch (error) {
    permit.end();
    return Promise.reject(error);
  }
  return result.then(
    (value) => {
      permit.end();
      return value;
    },
    (error) => {
      permit.end();
      throw error;
    },
  );
}

/**
 * Requests a permit with checked options, then calls `fn` with it in the caller's async context. Not an async function,
 * which would cost several times as much while it is pending.
 */
export function callLater<T>(limiter: Limiter, fn: Callback<T>, options: WaitOptions): Promise<T> {
  return new Promise<QueuedCall<T>>((resolve) => {
    request(new QueuedCall(fn, resolve), limiter, options);
  }).then(callNow);
}

/** Calls the function of a queued call with its permit. Without a permit, rejects with the reason. */
export function callNow<T>(call: QueuedCall<T>): Promise<T> {
  const { permit, fn, signal } = call;
  if (!permit) return new Promise((_, reject) => rejectLater(call, () => reject(call.failure)));
  if (!signal?.aborted) return callWith(permit, fn);
  permit.release('ignored');
  throw signal.reason;
}

/**
 * A waiter that settles a promise. It listens to its signal, if any, only while it is queued. It has no constructor,
 * since each constructor in the chain of classes costs time.
 */
export abstract class SignalWaiter extends Waiter {
  // Declared without a value, since most waiters have no signal.
  declare signal: AbortSignal | undefined;
  /** The limiter or gate that the permit was requested from. */
  declare private limiter: Pick<Limiter, 'withdraw'>;
  declare private listening: AbortListener | undefined;
  /** Links the waiters of the same signal. */
  declare earlier: SignalWaiter | undefined;
  declare next: SignalWaiter | undefined;

  /** Sets how the waiter waits. When the signal aborts, the waiter leaves the queue of this limiter or gate. */
  waitWith(options: CommonWaitOptions, limiter: Pick<Limiter, 'withdraw'>): void {
    const { signal, queueTimeout, fairBy, priority } = options;
    if (signal !== undefined) {
      this.signal = signal;
      this.limiter = limiter;
    }
    if (fairBy !== undefined) this.fairBy = fairBy;
    if (queueTimeout !== undefined) this.queueTimeout = queueTimeout;
    if (priority !== undefined) this.priority = priority;
  }

  /** Settles the promise. After `fulfil` or `fail`, further calls have no effect. */
  protected abstract fulfil(permit: BasePermit): void;
  abstract fail(reason: unknown): void;

  granted(permit: BasePermit): void {
    this.stopListening();
    const { signal } = this;
    if (!signal?.aborted) return this.fulfil(permit);
    // An observer's `admitted` callback may have aborted the signal.
    permit.release('ignored');
    this.fail(signal.reason);
  }

  rejected(rejection: Rejection): void {
    this.stopListening();
    const { signal } = this;
    this.fail(
      signal?.aborted
        ? signal.reason
        : (rejection.error?.for(rejection) ?? new RejectedError(rejection)),
    );
  }

  override mayJoin(): boolean {
    return this.signal?.aborted !== true;
  }

  override queued(): void {
    const signal: Signal | undefined = this.signal;
    if (!signal) return;
    // The callback of a waiter that this one has displaced may have aborted it.
    if (signal.aborted) return this.abort();
    this.listening = signal[listenerKey] ??= new AbortListener(signal);
    this.listening.add(this);
  }

  /**
   * Checked at the grant: another listener of the same signal may run first and withdraw its own waiter, which makes
   * room for this one.
   */
  override gone(): boolean {
    return this.signal?.aborted === true;
  }

  override get isPatient(): boolean {
    return this.queueTimeout !== undefined;
  }

  abort(): void {
    this.stopListening();
    this.limiter.withdraw(this);
    this.fail(this.signal?.reason);
  }

  private stopListening(): void {
    if (!this.listening) return;
    this.listening.remove(this);
    this.listening = undefined;
  }
}

/** The waiter of `acquire`. */
export class Acquisition extends SignalWaiter {
  constructor(
    protected readonly fulfil: (permit: Permit) => void,
    private readonly reject: (reason: unknown) => void,
  ) {
    super();
  }

  fail(reason: unknown): void {
    rejectLater(this, () => this.reject(reason));
  }
}

/**
 * The waiter of `run`. Its promise resolves to the waiter itself, and `callNow` is attached to that promise. So a
 * waiter needs neither a closure nor a function that rejects the promise.
 */
export class QueuedCall<T> extends SignalWaiter {
  permit: BasePermit | undefined = undefined;
  /** Why there is no permit. */
  declare failure: unknown;

  constructor(
    readonly fn: Callback<T>,
    private readonly settle: (call: QueuedCall<T>) => void,
  ) {
    super();
  }

  // When a promise is resolved to an object, the runtime reads its `then`. Without this getter, it would search the whole
  // prototype chain.
  // biome-ignore lint/suspicious/noThenProperty: it makes no thenable
  get then(): undefined {
    return undefined;
  }

  protected fulfil(permit: BasePermit): void {
    this.permit = permit;
    this.settle(this);
  }

  fail(reason: unknown): void {
    this.failure = reason;
    this.settle(this);
  }
}

const listenerKey = Symbol('headgate');

/**
 * The listener is a property of the signal: reading it is faster than a WeakMap, and cheaper for the garbage collector.
 */
type Signal = AbortSignal & { [listenerKey]?: AbortListener };

/**
 * Listens to a signal once for all its waiters. With one listener per waiter, Node would warn of a leak at the
 * eleventh.
 */
class AbortListener {
  #first: SignalWaiter | undefined;
  #last: SignalWaiter | undefined;
  /** A closure, because Node calls it faster than a listener object. */
  readonly #listener = () => {
    // Aborting a waiter removes it from the list.
    for (let next = this.#first; next !== undefined; next = this.#first) next.abort();
  };

  constructor(private readonly signal: Signal) {}

  add(waiter: SignalWaiter): void {
    waiter.earlier = this.#last;
    if (this.#last !== undefined) this.#last.next = waiter;
    else {
      this.#first = waiter;
      this.signal.addEventListener('abort', this.#listener);
    }
    this.#last = waiter;
  }

  remove(waiter: SignalWaiter): void {
    const { earlier, next } = waiter;
    if (earlier === undefined) this.#first = next;
    else earlier.next = next;
    if (next === undefined) this.#last = earlier;
    else next.earlier = earlier;
    waiter.earlier = undefined;
    waiter.next = undefined;
    if (this.#first === undefined) this.signal.removeEventListener('abort', this.#listener);
  }
}
