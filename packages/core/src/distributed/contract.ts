import type { Clock } from '../clock.ts';
import type { StoreStats } from '../limiter/store-stats.ts';
import type { StoreError } from '../semaphore/rejection.ts';

/** Identifies a limit, or one key of it. */
export interface LimitName {
  /** Any string. Treat it as data, never as a pattern or a part of a script. */
  readonly name: string;
  /** The key, if the limit is keyed. */
  readonly key?: string | undefined;
}

export type { StoreStats };

export const statuses = ['open', 'paused', 'drained'] as const;
export const modes = ['enforce', 'shadow'] as const;

/** How a limit is operated, apart from its value: the same for all processes. */
export interface OperatedState {
  /**
   * `paused`: nothing is granted, and `acquire` may be queued as ever; `drained`: nothing is granted, and a new
   * `acquire` is answered with `full`. Leases that are held or queued already keep their state.
   */
  readonly status: (typeof statuses)[number];
  /** `shadow`: unless paused or drained, every lease is granted at once, even beyond the limit. */
  readonly mode: (typeof modes)[number];
  /**
   * The store's time of the latest change, from an answer: a whole number. The latest change wins, even if the store
   * has lost its state since. Of two states with the same version, the one in shadow mode applies, then the one with
   * the stricter status: `isLater` compares them.
   */
  readonly version: string;
}

/** Instead of a version: the limit is set now. */
export const SET_NOW = 'set';

/** A limit, or one key of it, with the value that this process knows. */
export interface LimitRef extends LimitName {
  /** Maximum weight in flight at once, as this process knows it. */
  readonly limit: number;
  /**
   * The store's time at which this limit was declared or set, from an answer. The latest one wins, even if the store has
   * lost its state since. Of two limits with the same version, the lower one applies. `0` if this process knows no
   * limit: any declaration is later.
   *
   * Empty to declare the limit now, as a process that starts does. That changes nothing if it is the latest number that
   * was declared, or, while a limit that was set applies, one of the last two. `set` (`SET_NOW`) to set the limit now, as
   * an operator does: it applies until another number is declared, or another limit is set.
   */
  readonly version: string;
  /**
   * The last two numbers that processes have declared, the latest one first, from an answer: a limit that differs from
   * the latest one was set. If the version is `set`, the number that this process declares.
   *
   * A process also restores a limit that was set in a store that has lost it, where another process has declared one of
   * these numbers since.
   */
  readonly declared?: readonly number[] | undefined;
  /** How the limit is operated, as this process knows it; undefined if it knows of no operation. */
  readonly operated?: OperatedState | undefined;
}

/** What an operator changes of a limit, apart from its value. An empty object is no change. */
export type OperatedChange = Partial<Omit<OperatedState, 'version'>>;

/** A held or queued lease, as the process requests it. */
export interface LeaseRequest {
  readonly ref: LimitRef;
  /** Starts with the store's `owner` and a dot; never reused. */
  readonly id: string;
  readonly weight: number;
  /** Whether the lease had another weight before: stores that keep leases by weight must search for it. */
  readonly resized: boolean;
  /** Remaining maximum wait in milliseconds; 0: it must not be queued. */
  readonly wait: number;
  /** Maximum number of waiters, over all processes. */
  readonly queueLimit: number;
  /** Its position in the queue, from an answer: an opaque string, which only the store compares. */
  readonly place?: string | undefined;
  /** Its fencing token, if it is held. */
  readonly fencing?: bigint | undefined;
  /** How many tokens after the granted one belong to the lease too, for consecutive permits under one lease. */
  readonly extraTokens: number;
  /** Whether its process may keep the lease idle for a while, and so must be recalled when other waiters are queued. */
  readonly reserves: boolean;
}

/**
 * Every operation is idempotent. Each first removes expired leases and finally grants the queued leases that fit, in
 * order of `place`, each for `leaseDuration` from its last `acquire` or `stay`. So any operation reclaims what a dead
 * process held, or was granted after its death.
 *
 * A lease fits if its weight and the weight held do not exceed the limit, or if nothing is held: so a queued lease that
 * is heavier than a lowered limit is granted alone. A queued lease expires after `leaseDuration` or its `wait`, whichever
 * is shorter, from its last `acquire` or `stay`.
 *
 * For several operations that are sent together, the grants may happen once, after all of them, if that grants the same
 * leases.
 *
 * - `acquire`: `held` if it fits and there are no waiters; else `queued` at the tail if it may wait and there are fewer
 *   than `queueLimit` waiters; else `full`. A known lease keeps its state for another `leaseDuration`.
 * - `stay`, for a queued lease: `queued` for another `leaseDuration` at the same position, or `held` if it has been
 *   granted meanwhile (with a new token). An unknown lease rejoins at its `place`. Never `full`.
 * - `renew`, for a held lease: `held` for another `leaseDuration`, with the weight of this request, since a `resize` may
 *   have been lost. An unknown lease is `held` again, even beyond the limit, if the store has lost its state since; else
 *   `lost`. A store with fencing tokens recognises lost state by the lease's token: it is lower than the time at which
 *   the state began, or higher than the last token. So tokens must come from a clock, in microseconds for example.
 * - `register`: a lease that was admitted without the store is `held` from now on, even beyond the limit.
 * - `resize`: a held lease has this weight from now on, which may exceed the limit; `lost` if it is not held.
 * - `release`: releases a held lease, or removes a queued one; for an unknown lease `lost`, and nothing changes.
 */
export type LeaseVerb = 'acquire' | 'stay' | 'renew' | 'register' | 'resize' | 'release';

export type Op =
  | { readonly verb: LeaseVerb; readonly lease: LeaseRequest }
  | {
      /**
       * Declares the limit, as every operation does, and then changes how it is operated: both revoke no lease, and
       * grant the queued ones that now fit. A change is the latest one from now on, even if it makes no difference,
       * since the store may have lost a later state that processes still know. It is announced by `operated` to the
       * processes that have queued leases or may keep idle ones. Without a change it reads the state.
       */
      readonly verb: 'declare';
      readonly ref: LimitRef;
      readonly change?: OperatedChange | undefined;
    };

/** State of a limit after an operation, or after all operations on the limit that were sent together. */
export interface LimitState {
  /** Weight held, over all processes. In shadow mode always after the operation itself, if its lease was granted. */
  readonly inflight: number;
  /** Number of waiters, over all processes. */
  readonly queued: number;
  /** The limit that applies, which another process may have declared. */
  readonly limit: number;
  /** When that limit was declared or set: the `version` of `LimitRef` from now on. */
  readonly version: string;
  /** `declared` of `LimitRef` from now on. Undefined if the store supports no `setLimit`. */
  readonly declared?: readonly number[] | undefined;
  /** How the limit is operated: `operated` of `LimitRef` from now on. Undefined if it never was. */
  readonly operated?: OperatedState | undefined;
  /** Milliseconds after which a lease may expire; no message announces that, so the first waiter sends `stay` then. */
  readonly checkIn: number;
  /** Number of held leases that have expired and were removed. Expired waiters do not count. */
  readonly reclaimed: number;
}

export interface Reply extends LimitState {
  readonly state: 'held' | 'queued' | 'full' | 'lost' | 'ok';
  /** If held: a token above all earlier ones, as far as the store remembers. */
  readonly fencing?: bigint | undefined;
  /** If queued: its position, by arrival over all processes: an opaque string, which only the store compares. */
  readonly place?: string | undefined;
}

/** The answer to one operation. After an error it is unknown whether the operation was executed. */
export type Answer = Reply | { readonly error: StoreError };

/** A queued lease has been granted. */
export interface Grant {
  readonly id: string;
  readonly fencing: bigint | undefined;
}

/** Receives the messages of a store. */
export interface StoreListener {
  /** A queued lease was granted. May arrive before the answer `queued`, twice, or never. */
  grant(grant: Grant): void;
  /** Other processes have waiters: leases kept idle must be released. */
  recall(ref: LimitName): void;
  /** Another process has changed how the limit is operated: the listener asks for its state. */
  operated?(ref: LimitName): void;
  /**
   * Messages may have been missed, or leases are certain for a shorter time: the listener renews all its leases now, held
   * and queued. Call it after every new subscription.
   */
  check(): void;
  /** The connection was lost or restored. Optional for stores that cannot detect it. */
  state(up: boolean, error?: StoreError): void;
  /**
   * Messages do not arrive, for this reason, so waiters are granted later; undefined when they arrive again. Call it
   * once for each change.
   */
  muted?(error: StoreError | undefined): void;
  /** Whether any waiter depends on messages; a store probes its subscription while this is true. */
  readonly isWaiting?: boolean;
  /**
   * Whether this process holds, awaits or requests a lease, or waits for the store to be available again; otherwise a
   * store may close its connections until the next operation.
   */
  readonly isActive?: boolean;
  /** Why the store becomes slower and slower; undefined when it no longer does. Call it once for each change. */
  slowed?(reason: string | undefined): void;
}

/** What a store supports. Its limiters throw at construction if an option needs more. */
export interface Capabilities {
  /** Issues increasing fencing tokens. */
  readonly fencing: boolean;
  /** Enforces `queueLimit` over all processes; if false, each process enforces it for itself. */
  readonly queueLimit: boolean;
  /** Supports limits that are declared and set. */
  readonly setLimit: boolean;
  /** Supports the changes of `declare`: pausing, draining, and shadow mode. */
  readonly operate: boolean;
  /** Supports limits with keys. */
  readonly keys: boolean;
  /** Lets a waiter rejoin at its position after the store has lost its state. */
  readonly place: boolean;
  /** Supports `resize`. */
  readonly resize: boolean;
  /** Recalls leases that are kept idle (`reserve`). */
  readonly recall: boolean;
  /**
   * Returns exact counts with every answer. If false, `inflight` and `queued` of an answer may be outdated, `queued`
   * and `holders` are weights, `longestWait` is in whole seconds, `reclaimed` is 0, and `checkIn` may be later than the
   * next expiry.
   */
  readonly counts: boolean;
}

export interface StoreTimes {
  /** Milliseconds for which a permit is held without renewal: at least three times `timeout`. */
  readonly leaseDuration: number;
  /** Maximum time of a call in milliseconds, above 0. */
  readonly timeout: number;
  /** Times leases and renewals in this process; the store's server has its own time. Default: the runtime's own. */
  readonly clock?: Clock | undefined;
}

/** Fraction of a lease, from its request, for which it counts as certain: the rest allows for late timers. */
export const certainPart = 0.9;

/** Counts leases for several processes: what the limiters of a process need of their store. */
export interface LeaseStore extends StoreTimes {
  readonly clock: Clock;
  /** Identifies this store object in this process: the prefix of the ids of its leases. */
  readonly owner: string;
  readonly can: Capabilities;

  /**
   * Executes operations, those on one limit in their order. Resolves to one answer per operation, in the same order,
   * after `timeout` milliseconds at the latest. Never rejects.
   */
  send(ops: readonly Op[], timeout: number): Promise<Answer[]>;

  /**
   * Until when, by `clock`, a lease certainly exists whose last successful request was sent at `sent`. A store that
   * may end leases early, because it considers their process dead, returns an earlier time, and calls `check()` or
   * `state()` whenever that changes.
   */
  certainUntil(sent: number): number;

  /** Subscribes the listener, and returns a function that unsubscribes it. Called once. */
  listen(listener: StoreListener): () => void;
  /**
   * Resolves to the state of a limit; if the store does not know it, to an empty `version`, and 0 for every number
   * (a store that cannot set limits rejects). Rejects with a StoreError if that fails, after `timeout` at the latest.
   */
  stats(ref: LimitName): Promise<StoreStats>;
  /** Closes what the store itself has opened. */
  close(): Promise<void>;
}
