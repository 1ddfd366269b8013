import type { CloseOptions } from './ledger.ts';
import type { Permit } from './permit.ts';
import type { Priority } from './priority.ts';
import type { RejectionCause, RejectionReason } from './rejection.ts';
import type { Waiter } from './waiter.ts';

/** What a caller may say when it asks for a permit. */
export interface AcquireOptions {
  /** Whose limit it is: needed where the limiter is keyed, refused where it is not. */
  key?: string | undefined;
  /** How much of the limit it takes: a whole number from 1 to the limit. Default: 1. */
  weight?: number | undefined;
  /** Where the limit is divided by `byShare()`: the name of the caller's share. Default: none. */
  share?: string | undefined;
  /** For a keyed limiter: this key's own limit. The latest value applies while the key is in use. */
  limit?: number | undefined;
}

export interface WaitOptions extends AcquireOptions {
  /** Leaves the line when it aborts; `acquire` then rejects with its reason. */
  signal?: AbortSignal | undefined;
  /** Where the limiter's order is `byPriority()`: the class of the caller while it waits. Default: `normal`. */
  priority?: Priority | undefined;
  /** Where the limiter's order is `byParty()`: whom the caller is for, and takes turns with while it waits. */
  party?: string | undefined;
  /** Milliseconds to wait at most; Infinity is allowed. Default: the limiter's own. */
  queueTimeout?: number | undefined;
}

/** A limiter in numbers; from `admitted` on, counted since it was made. */
export interface LimiterStats {
  readonly name: string;
  /** The most weight it lets in at once, per key where it is keyed. */
  readonly limit: number;
  /** Weight held now. */
  readonly inflight: number;
  /** Callers waiting now. */
  readonly queued: number;
  /** Milliseconds that the longest waiting caller has waited. */
  readonly longestWait: number;
  /** Keys in use now; 0 where it is not keyed. */
  readonly keys: number;

  readonly admitted: number;
  readonly rejected: Readonly<Record<RejectionReason, number>>;
  /** Callers that went away while waiting. */
  readonly withdrawn: number;
  /** Permits taken back because `maxHold` had passed. */
  readonly leaked: number;
  /** Of a limit that is shared with other processes: what its store says. All the rest is of this process alone. */
  readonly shared?: SharedStats | undefined;
}

/** What is known of a limit that several processes share. */
export interface SharedStats {
  /** Whether the store can be asked. */
  readonly up: boolean;
  /** What this process was told; the store may go by a later declaration. */
  readonly declared: number;
  /** Weight held, over all processes, as the store has last said; undefined where the limit is per key. */
  readonly inflight: number | undefined;
  /** How many wait, over all processes, as the store has last said; undefined where the limit is per key. */
  readonly queued: number | undefined;
  /** Leases that this process has found expired, of whatever process. */
  readonly reclaimed: number;
  /** Permits of this process whose lease was lost. */
  readonly lost: number;
}

/** Enforces a limit. */
export interface Limiter {
  /** In rejections, statistics and events. */
  readonly name: string;
  /** Whether every caller must name a key. */
  readonly perKey: boolean;
  /** Whether a store is asked, so that it cannot answer at once. */
  readonly isShared: boolean;
  /** Whether the limit moves by itself. */
  readonly adapts: boolean;
  /** Whether it has been closed, and rejects everything. */
  readonly closed: boolean;
  /** Of the shares that the limit is divided into. */
  readonly shareNames: readonly string[];
  /** How many may wait, per key where keyed. */
  readonly queueLimit: number;
  /** The most weight that may wait, per key where keyed. */
  readonly queueWeight: number;
  /** Milliseconds that one may wait where it does not say otherwise. */
  readonly queueTimeout: number;
  /** The most weight that it lets in at once, per key where keyed; it may move. */
  readonly limit: number;
  /** Weight held now. */
  readonly inflight: number;
  /** Callers waiting now. */
  readonly queued: number;
  /** How many hold a permit, whatever its weight. */
  readonly holders: number;
  /** Answers the waiter now or later, once. Throws on a weight or a key that can never be right. */
  request(waiter: Waiter): void;
  /** The caller went away; no answer follows. Does nothing for one that does not wait here. */
  withdraw(waiter: Waiter): void;
  /** Rejects somebody who waits here, perhaps for another limit's sake; does nothing for another. */
  reject(waiter: Waiter, reason: RejectionReason, cause?: RejectionCause): void;
  /**
   * Rejects with a `RejectedError` where the caller is turned away, with the signal's reason where that aborts, and with
   * a HeadgateError for a weight, a key or a timeout that makes no sense.
   */
  acquire(options?: WaitOptions): Promise<Permit>;
  /** Acquires, calls, releases. Rejects as `acquire` does, and with what `fn` throws. */
  run<T>(fn: (permit: Permit) => T | PromiseLike<T>, options?: WaitOptions): Promise<T>;
  /** Revokes nothing: after lowering, nobody is admitted until enough came back. Throws on what is no whole number from 1. */
  setLimit(limit: number): void;
  /**
   * Rejects newcomers and all who wait; resolves to 0 when the last permit is back, or to how many are not when
   * the timeout has passed or the signal aborts: their own signals abort then. Rejects on a timeout that makes no sense.
   */
  close(options?: CloseOptions): Promise<number>;
  stats(): LimiterStats;
  /** What a caller with this key would see. */
  usage(key?: string): { readonly limit: number; readonly inflight: number };
}

/** A limiter within this process, which can answer at once. */
export interface LocalLimiter extends Limiter {
  /** Admits at once or not at all; nothing while anybody waits. Throws on a weight or a key that can never be right. */
  tryAcquire(options?: AcquireOptions): Permit | undefined;
}
