import type { Clock, StoreError, StoreStats } from '@headgate/core';

/** Identifies a limit, or one key of it. */
export interface LimitName {
  /** Any string. Treat it as data, never as a pattern or a part of a script. */
  readonly name: string;
  /** The key, if the limit is keyed. */
  readonly key?: string | undefined;
}

export type { StoreStats };

export const statuses = ['open', 'paused', 'rejecting'] as const;
export const modes = ['enforce', 'shadow'] as const;

/** How a limit is operated, apart from its value. It is the same for all processes. */
export interface OperatedState {
  /**
   * `paused`: nothing is granted, and `acquire` may be queued as ever; `rejecting`: nothing is granted, and a new
   * `acquire` is answered with `full`. Leases that are held or queued already keep their state.
   */
  readonly status: (typeof statuses)[number];
  /** `shadow`: unless paused or rejecting, every lease is granted at once, even beyond the limit. */
  readonly mode: (typeof modes)[number];
  /**
   * When the state last changed, by the store's clock, as received in an answer: a whole number. The latest change
   * wins, even if the store has since lost its state. Of two states with the same version, shadow mode wins over
   * enforcing, then the stricter status wins: `isLater` compares them.
   */
  readonly version: string;
}

/** A `version` that means: set the limit now. */
export const SET_NOW = 'set';

/** A limit, or one key of it, with the value that this process knows. */
export interface LimitRef extends LimitName {
  /** Maximum weight in flight at once, as this process knows it. */
  readonly limit: number;
  /**
   * When this limit was declared or set, by the store's clock, as received in an answer. The latest one wins, even if
   * the store has since lost its state. Of two limits with the same version, the lower one applies. `0` if this process
   * knows no limit: any declaration is later.
   *
   * An empty version declares the limit now, as a process does when it starts. That has no effect if the limit is the
   * number declared last. While a limit that was set applies, the number declared before it has no effect either. The
   * version `set` (`SET_NOW`) sets the limit now, as an operator does: it applies until another number is declared, or
   * another limit is set.
   */
  readonly version: string;
  /**
   * The last two numbers that processes have declared, the latest first, as received in an answer. A limit that differs
   * from the latest number was set. If the version is `set`: the number that this process declares.
   *
   * They also let a process restore a limit that was set, if the store has lost its state and another process has since
   * declared one of these numbers.
   */
  readonly declared?: readonly number[] | undefined;
  /** How the limit is operated, as this process knows it. Undefined if it knows of no operation. */
  readonly operated?: OperatedState | undefined;
}

/** An operator's change to a limit, apart from its value. An empty object changes nothing. */
export type OperatedChange = Partial<Omit<OperatedState, 'version'>>;

/** A held or queued lease, as the process requests it. */
export interface LeaseRequest {
  /** The limit. */
  readonly ref: LimitRef;
  /** Starts with the store's `owner` and a dot; never reused. */
  readonly id: string;
  /** The weight of the request: a whole number from 1. */
  readonly weight: number;
  /** Whether the lease has had another weight: a store that keeps leases by weight must search for such a lease. */
  readonly resized: boolean;
  /** Remaining maximum wait in milliseconds. If 0, the lease must not be queued. */
  readonly wait: number;
  /** Maximum number of waiters, over all processes. */
  readonly queueLimit: number;
  /** Its position in the queue, from an answer: an opaque string, which only the store compares. */
  readonly place?: string | undefined;
  /** Its fencing token, if it is held. */
  readonly fencing?: bigint | undefined;
  /** Number of further fencing tokens that the lease reserves, one for each later permit that uses the same lease. */
  readonly extraTokens: number;
  /**
   * Whether the process may keep the lease idle for a while. The store must then recall it when other waiters are
   * queued.
   */
  readonly reserves: boolean;
}

/**
 * Every operation is idempotent. Each first removes expired leases. Finally it grants the queued leases that fit, in
 * order of `place`, each for `leaseDuration` from its last `acquire` or `stay`. So any operation reclaims the leases of
 * a dead process, including those granted after its death.
 *
 * A lease fits if its weight and the weight held do not exceed the limit together. If nothing is held, any lease fits:
 * a queued lease that is heavier than a lowered limit is granted alone. A queued lease expires after `leaseDuration` or
 * its `wait`, whichever is shorter, from its last `acquire` or `stay`.
 *
 * If several operations are sent together, a store may grant leases once, after all of them, if that grants the same
 * leases.
 *
 * - `acquire`: `held` if it fits and there are no waiters; else `queued` at the tail if it may wait and there are fewer
 *   than `queueLimit` waiters; else `full`. A known lease keeps its state for another `leaseDuration`.
 * - `stay`, for a queued lease: `queued` for another `leaseDuration` at the same position, or `held` with a new token
 *   if it has been granted meanwhile. An unknown lease rejoins at its `place`. Never `full`.
 * - `renew`, for a held lease: `held` for another `leaseDuration`, with the weight of this request, since a `resize`
 *   may have been lost. If the store has lost its state since, an unknown lease is `held` again, even beyond the limit;
 *   otherwise it is `lost`. A store with fencing tokens recognises lost state by the lease's token: it is lower than
 *   the time at which the state began, or higher than the last token. So tokens must come from a clock, in microseconds
 *   for example.
 * - `register`: a lease that was admitted without the store is `held` from now on, even beyond the limit.
 * - `resize`: a held lease has this weight from now on, which may exceed the limit. Any other lease is `lost`.
 * - `release`: releases a held lease, or removes a queued one. An unknown lease is `lost`, and nothing changes.
 */
export type LeaseVerb = 'acquire' | 'stay' | 'renew' | 'register' | 'resize' | 'release';

/** An operation on a limit in a store. */
export type Op =
  | {
      /** What to do. */
      readonly verb: LeaseVerb;
      /** The lease that it concerns. */
      readonly lease: LeaseRequest;
    }
  | {
      /**
       * Declares the limit, as every operation does, and then changes how it is operated, or pauses it. None of these
       * revokes a lease; all grant the queued leases that now fit. A change counts as the latest one even if it makes no
       * difference, since the store may have lost a later state that processes still know. The store announces changes
       * and pauses by `operated` to the processes that have queued leases or may keep idle ones. Without a change and a
       * pause, the operation only reads the state.
       */
      readonly verb: 'declare';
      /** The limit. */
      readonly ref: LimitRef;
      /** How it is operated from now on. Default: as before. */
      readonly change?: OperatedChange | undefined;
      /**
       * Pauses the limit, or this key of it, for this many milliseconds by the store's clock: until then, nothing is
       * granted, unless in shadow mode. A pause never shortens another one, but 0 ends it, and so does a state of
       * `operated` that is new to the store. The store remembers the limit until the pause ends, even if no process uses
       * it. It counts at most an hour.
       */
      readonly pause?: number | undefined;
    };

/** State of a limit after an operation, or after all operations on the limit that were sent together. */
export interface LimitState {
  /**
   * Weight held, over all processes. In shadow mode, if the operation granted its lease: the weight right after that
   * operation.
   */
  readonly inflight: number;
  /** Number of waiters, over all processes. */
  readonly queued: number;
  /** The limit that applies, as weight; another process may have declared it. */
  readonly limit: number;
  /** When that limit was declared or set: the next `version` of `LimitRef`. */
  readonly version: string;
  /** The next `declared` of `LimitRef`. */
  readonly declared?: readonly number[] | undefined;
  /** The next `operated` of `LimitRef`. Undefined if the limit was never operated. */
  readonly operated?: OperatedState | undefined;
  /** Milliseconds until the pause ends. Undefined if there is none. */
  readonly pausedFor?: number | undefined;
  /**
   * Milliseconds until a lease may expire, or the pause ends. The store sends no message then, so the first waiter sends
   * `stay`.
   */
  readonly checkIn: number;
  /** Number of held leases that have expired and were removed. Expired waiters do not count. */
  readonly reclaimed: number;
}

/** What a store answers to an operation that it has executed. */
export interface Reply extends LimitState {
  /** State of the lease. `ok`: the operation does not concern a lease. */
  readonly state: 'held' | 'queued' | 'full' | 'lost' | 'ok';
  /** If held: a token higher than every earlier one that the store remembers. */
  readonly fencing?: bigint | undefined;
  /** If queued: its position by arrival, over all processes. An opaque string, which only the store compares. */
  readonly place?: string | undefined;
}

/** The answer to one operation. After an error, the operation may or may not have been executed. */
export type Answer =
  | Reply
  | {
      /** Why there is no answer. */
      readonly error: StoreError;
    };

/** A queued lease has been granted. */
export interface Grant {
  /** The id of the lease. */
  readonly id: string;
  /** Its fencing token; undefined if the store issues none. */
  readonly fencing: bigint | undefined;
}

/** Receives the messages of a store. */
export interface StoreListener {
  /** A queued lease was granted. May arrive before the answer `queued`, twice, or never. */
  grant(grant: Grant): void;
  /** Other processes have waiters: leases kept idle must be released. */
  recall(ref: LimitName): void;
  /** Another process has changed how the limit is operated. The listener then reads the limit's state. */
  operated?(ref: LimitName): void;
  /**
   * Messages may have been missed, or the store guarantees leases for a shorter time than before. The listener renews
   * all its leases now, held and queued. Call it after every new subscription.
   */
  check(): void;
  /** The connection was lost or restored. Optional for stores that cannot detect it. */
  state(up: boolean, error?: StoreError): void;
  /**
   * Messages do not arrive for this reason, so waiters are granted later. Undefined when they arrive again. Call it
   * once for each change.
   */
  muted?(error: StoreError | undefined): void;
  /** Whether any waiter depends on messages. While it is true, a store probes its subscription. */
  readonly isWaiting?: boolean;
  /**
   * Whether this process holds, awaits or requests a lease, or waits for the store to be available again. While it is
   * false, a store may close its connections until the next operation.
   */
  readonly isActive?: boolean;
  /** Why the store keeps getting slower. Undefined when it no longer does. Call it once for each change. */
  slowed?(reason: string | undefined): void;
}

/** What a store supports. A limiter throws at construction if its options need more. */
export interface Capabilities {
  /** Recalls leases that are kept idle (`reserve`). */
  readonly recall: boolean;
}

export interface StoreSettings {
  /** Milliseconds for which a permit is held without renewal: at least three times `timeout`. */
  readonly leaseDuration: number;
  /** Maximum time of a call in milliseconds, above 0. */
  readonly timeout: number;
  /**
   * Measures leases and renewals in this process; the store's server uses its own clock. Default: the runtime's clock.
   */
  readonly clock?: Clock | undefined;
  /** How many times in a row a permit may pass to a waiter of the same process. Default: 0. */
  readonly handoff?: number | undefined;
  /** How many idle permits of each limit the process keeps: 0 unless the store recalls leases. Default: 0. */
  readonly reserve?: number | undefined;
}

/**
 * Fraction of a lease, from its request on, during which the lease certainly exists. The rest allows for late timers.
 */
export const certainPart = 0.9;

/** Counts leases for several processes: what the limiters of a process need of their store. */
export interface LeaseStore extends StoreSettings {
  readonly clock: Clock;
  readonly handoff: number;
  readonly reserve: number;
  /** Identifies this store object in this process: the prefix of the ids of its leases. */
  readonly owner: string;
  /** What the store supports. */
  readonly can: Capabilities;
  /** Whether the store has been closed. */
  readonly closed: boolean;

  /**
   * Executes operations, those on one limit in order. Resolves to one answer per operation, in the same order, within
   * `timeout` milliseconds. Never rejects. If the server cannot be reached, it may answer with
   * `ERR_HEADGATE_STORE_DOWN` at once: the operations are then sent again until the store's own `timeout` has passed.
   */
  send(ops: readonly Op[], timeout: number): Promise<Answer[]>;

  /**
   * Returns the time by `clock` until which a lease certainly exists. `sent` is the time at which its last successful
   * request was sent. If the store may end leases early because it considers their process dead, it returns an earlier
   * time, and calls `check()` or `state()` whenever that time changes.
   */
  certainUntil(sent: number): number;

  /** Subscribes the listener, and returns a function that unsubscribes it. Called once. */
  listen(listener: StoreListener): () => void;
  /**
   * Resolves to the state of a limit. If the store does not know the limit, `version` is empty and every number is 0.
   * Rejects with a StoreError on failure, within `timeout`.
   */
  stats(ref: LimitName): Promise<StoreStats>;
  /** Closes what the store itself has opened. */
  close(): Promise<void>;
}
