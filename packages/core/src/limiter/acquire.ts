import { invalid } from '../errors.ts';
import type { Permit } from '../semaphore/permit.ts';
import { RejectedError, type Rejection } from '../semaphore/rejection.ts';
import { Waiter } from '../semaphore/waiter.ts';
import { checkAcquireOptions, type WaitOptions } from './acquire-options.ts';
import type { Limiter } from './limiter.ts';

/** Stands for omitted options, so that they need no check. */
export const nothing = {};

/** Requests a permit from a limiter, and resolves to it. */
export function acquireFrom(
  limiter: Limiter,
  options: WaitOptions = nothing,
  owner = 'acquire',
): Promise<Permit> {
  return new Promise((resolve, reject) => {
    if (options !== nothing) checkAcquireOptions(owner, options);
    options.signal?.throwIfAborted();
    const waiter = new Acquisition(limiter, resolve, reject, options.signal);
    waiter.key = options.key;
    if (options.weight !== undefined) waiter.weight = options.weight;
    waiter.limit = options.limit;
    if (options.share !== undefined) waiter.share = options.share;
    if (options.fairBy !== undefined) waiter.fairBy = options.fairBy;
    waiter.queueTimeout = options.queueTimeout;
    if (options.priority !== undefined) waiter.priority = options.priority;
    limiter.request(waiter);
  });
}

/** A rejected promise for an `fn` that is not a function: `run(work())` instead of `run(work)`, say. */
export function notCallable(fn: unknown): Promise<never> {
  return Promise.reject(invalid('fn', 'a function', fn));
}

/** Calls `fn` with a permit, and ends the permit when `fn` has settled. */
export async function callWith<T>(
  permit: Permit,
  fn: (permit: Permit) => T | PromiseLike<T>,
): Promise<T> {
  try {
    return await fn(permit);
  } finally {
    permit[Symbol.dispose]();
  }
}

/**
 * As `callWith`, for a permit that is not granted yet. `fn` is called from the permit's promise, so it runs in the
 * async context of its own caller and not of the caller that released the previous permit. A pending async function
 * would cost several times as much.
 */
export function callLater<T>(
  permit: Promise<Permit>,
  fn: (permit: Permit) => T | PromiseLike<T>,
  signal: AbortSignal | undefined,
): Promise<T> {
  return permit.then((granted) => {
    if (signal?.aborted !== true) return callWith(granted, fn);
    granted.release('ignored');
    throw signal.reason;
  });
}

/** A waiter that settles a promise. It listens to the signal only while it is queued. */
export class Acquisition extends Waiter {
  private listening: AbortListener | undefined = undefined;
  /** Links the acquisitions of the same signal. Declared without a value, since most have no signal. */
  declare earlier: Acquisition | undefined;
  declare next: Acquisition | undefined;

  constructor(
    /** The limiter or gate that the permit was requested from. */
    private readonly limiter: Pick<Limiter, 'withdraw'>,
    private readonly resolve: (permit: Permit) => void,
    private readonly reject: (error: unknown) => void,
    private readonly signal: AbortSignal | undefined,
  ) {
    super();
  }

  granted(permit: Permit): void {
    this.stopListening();
    const { signal } = this;
    if (signal?.aborted !== true) return this.resolve(permit);
    // An observer's `admitted` callback may have aborted the signal.
    permit.release('ignored');
    this.reject(signal.reason);
  }

  rejected(rejection: Rejection): void {
    this.stopListening();
    const { signal } = this;
    if (signal?.aborted) this.reject(signal.reason);
    else this.reject(rejection.error?.for(rejection) ?? new RejectedError(rejection));
  }

  override joins(): boolean {
    const signal: Signal | undefined = this.signal;
    if (signal === undefined) return true;
    this.listening = signal[listenerKey] ??= new AbortListener(signal);
    this.listening.add(this);
    return !signal.aborted;
  }

  /** Another listener of the same signal may run first and make room by withdrawing its own waiter. */
  override gone(): boolean {
    return this.signal?.aborted === true;
  }

  abort(): void {
    this.stopListening();
    this.limiter.withdraw(this);
    this.reject(this.signal?.reason);
  }

  private stopListening(): void {
    this.listening?.remove(this);
    this.listening = undefined;
  }
}

const listenerKey = Symbol('headgate');

/** Stored as a property, since reading it is faster than a WeakMap and cheaper for the garbage collector. */
type Signal = AbortSignal & { [listenerKey]?: AbortListener };

/** One listener per signal: with one per waiter, Node would warn of a leak at the eleventh. */
class AbortListener {
  #first: Acquisition | undefined;
  #last: Acquisition | undefined;
  /** A closure, because Node calls it faster than a listener object. */
  readonly #listener = () => {
    // Aborting an acquisition removes it from the list.
    for (let next = this.#first; next !== undefined; next = this.#first) next.abort();
  };

  constructor(private readonly signal: Signal) {}

  add(acquisition: Acquisition): void {
    acquisition.earlier = this.#last;
    if (this.#last !== undefined) this.#last.next = acquisition;
    else {
      this.#first = acquisition;
      this.signal.addEventListener('abort', this.#listener);
    }
    this.#last = acquisition;
  }

  remove(acquisition: Acquisition): void {
    const { earlier, next } = acquisition;
    if (earlier === undefined) this.#first = next;
    else earlier.next = next;
    if (next === undefined) this.#last = earlier;
    else next.earlier = earlier;
    acquisition.earlier = undefined;
    acquisition.next = undefined;
    if (this.#first === undefined) this.signal.removeEventListener('abort', this.#listener);
  }
}
