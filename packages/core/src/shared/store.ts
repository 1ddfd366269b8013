import { checkSpan } from '../checks.ts';
import type { Clock } from '../clock.ts';
import { systemClock } from '../clock.ts';
import { invalid } from '../errors.ts';
import type { Limiter } from '../limiter/limiter.ts';
import type { LimiterSettings } from '../limiter/pools.ts';
import type { LimiterSource } from '../limiter/source.ts';
import type { StoreError } from '../limiter/store-error.ts';
import { certainPart } from './lease-parts.ts';
import { Session } from './session.ts';
import { checkShared } from './settings.ts';
import { SharedLimiter } from './shared-limiter.ts';

/** Which count: of a limit, or of one key of it. */
export interface LimitName {
  /** Any string: data, never a pattern or a part of a script. */
  readonly name: string;
  /** Of a keyed limit: whose. */
  readonly key?: string | undefined;
}

/** The same, and what this process knows of it. */
export interface LimitRef extends LimitName {
  /** The most weight at once, as this process knows it. */
  readonly limit: number;
  /**
   * The store's time at which this limit was declared, as an answer said; empty to declare it now. The latest
   * declaration wins, also after the store has lost its state.
   */
  readonly version: string;
}

/** A place under a limit, or in its line. */
export interface LeaseRequest {
  readonly ref: LimitRef;
  /** Begins with the store's `owner` and a dot; used once. */
  readonly id: string;
  readonly weight: number;
  /** Whether it has had another weight: what keeps leases by their weight has to look for it. */
  readonly resized: boolean;
  /** Milliseconds that it may still wait; 0: it does not join the line. */
  readonly wait: number;
  /** How many may wait, over all processes. */
  readonly queueLimit: number;
  /** Its place in the line, as an answer said. */
  readonly place?: string | undefined;
  /** Its fencing token, where it is held. */
  readonly fencing?: bigint | undefined;
  /** How many tokens after the granted one are its own too: for the permits that follow each other under one lease. */
  readonly spare: number;
  /** Whether its process may keep it for a while with nothing at work: it wants to know when others begin to wait. */
  readonly reserves: boolean;
}

/**
 * Each is safe to repeat, and each first drops what has expired and in the end lets in who fits, in order of `place`:
 * for a `lease` from when that was last asked for or stayed. So any of them reclaims what a dead process held, or was
 * given after its death.
 *
 * Of several that are sent together, who fits may be let in once, after all of them, where that makes no difference to
 * who is let in.
 *
 * - `acquire`: `held` where it fits and nobody waits; else `queued` at the tail where it may wait and there is room (of
 *   less than `queueLimit` waiting); else `full`. One that is there already: what it is, for another `lease`.
 * - `stay`, of one that waits: `queued` for another `lease` at the same place, or `held` where it has been let in
 *   meanwhile (with a new token); rejoins at its `place` where the store does not know it. Never `full`.
 * - `renew`, of one that is held: for another `lease`. Where the store does not know it: `held` again where the store
 *   has lost its state since, whatever the limit says; else `lost`.
 * - `register`: one that was let in without the store is held from now on, whatever the limit says.
 * - `resize`: a held one has this weight from now on, which may exceed the limit; `lost` where it is not held.
 * - `release`: gives a held one back, or takes a waiting one out of the line; else `lost`, and nothing is changed.
 */
export type LeaseVerb = 'acquire' | 'stay' | 'renew' | 'register' | 'resize' | 'release';

export type Op =
  | { readonly verb: LeaseVerb; readonly lease: LeaseRequest }
  /** Declares the limit now: revokes nothing; lets in who fits. */
  | { readonly verb: 'setLimit'; readonly ref: LimitRef };

/** How a limit stands after an operation, or after all those of the limit that were sent with it. */
export interface Standing {
  /** Weight held, over all processes. */
  readonly inflight: number;
  /** How many wait, over all processes. */
  readonly queued: number;
  /** What applies, which another process may have declared. */
  readonly limit: number;
  /** When that was declared: what goes into `LimitRef` from now on. */
  readonly version: string;
  /** Milliseconds after which a lease may have expired whose place nobody announces: whoever waits asks then. */
  readonly checkIn: number;
  /** How many leases were found expired, and dropped. */
  readonly reclaimed: number;
}

export interface Reply extends Standing {
  readonly state: 'held' | 'queued' | 'full' | 'lost' | 'ok';
  /** Where it is held: above all that were given before, as far as the store remembers. */
  readonly fencing?: bigint | undefined;
  /** Where it waits: sorts by arrival, over all processes. */
  readonly place?: string | undefined;
}

/** The answer to one operation. After an error it is not known whether the operation was done. */
export type Answer = Reply | { readonly error: StoreError };

/** Somebody who waits has been let in. */
export interface Grant {
  readonly id: string;
  readonly fencing: bigint | undefined;
}

/** What a store says unasked. */
export interface StoreListener {
  /** May come before the answer that says `queued`, twice, or never. */
  grant(grant: Grant): void;
  /** Others wait: what is held without being at work is to be released. */
  recall(ref: LimitName): void;
  /** Grants may have been missed: whoever waits should ask. After every new subscription. */
  check(): void;
  /** The connection is lost, or back. A store that cannot tell does not say so. */
  state(up: boolean, error?: StoreError): void;
  /**
   * Messages do not arrive, for this reason, so waiters are granted later; undefined when they arrive again. Said once
   * each.
   */
  muted?(error: StoreError | undefined): void;
  /** Whether any waiter depends on messages; a store probes its subscription meanwhile. */
  readonly isWaiting?: boolean;
  /** Why it becomes slower and slower, for the app's operators; undefined when that is over. Said once each. */
  slowed?(reason: string | undefined): void;
}

/** What a store cannot do, its limiters refuse at construction. */
export interface Capabilities {
  /** Gives tokens that rise. */
  readonly fencing: boolean;
  /** Keeps to `queueLimit` over all processes; else each process keeps to it alone. */
  readonly queueLimit: boolean;
  /** Knows `setLimit`, and declared limits. */
  readonly setLimit: boolean;
  /** Has limits with keys. */
  readonly keys: boolean;
  /** Lets one that waits rejoin at its place after the store has lost its state. */
  readonly place: boolean;
  /** Knows `resize`. */
  readonly resize: boolean;
  /** Recalls what is held in reserve. */
  readonly recall: boolean;
  /**
   * Counts who holds and who waits, and what was reclaimed, and says so with every answer. Else `inflight` and `queued`
   * of an answer are as of lately, `queued` and `holders` are weights, `longestWait` is in whole seconds, and
   * `reclaimed` is 0.
   */
  readonly counts: boolean;
}

/** A limit as its store sees it. */
export interface StoreStats {
  readonly limit: number;
  readonly version: string;
  /** Weight held, over all processes. */
  readonly inflight: number;
  /** How many hold it. */
  readonly holders: number;
  /** How many wait, over all processes. */
  readonly queued: number;
  /** Milliseconds that the longest waiting one has waited. */
  readonly longestWait: number;
}

export interface StoreTimes {
  /** Milliseconds for which a permit is held without a renewal: at least three times `timeout`. */
  readonly lease: number;
  /** Milliseconds that a call may take: more than 0. */
  readonly timeout: number;
  /** For leases and renewals; the store itself has its own time. */
  readonly clock?: Clock | undefined;
}

/**
 * Where shared limits are counted; extend it for a store of your own, and run `storeSuite()` of `@headgate/test-suite`
 * on it.
 */
export abstract class Store implements LimiterSource {
  readonly lease: number;
  readonly timeout: number;
  readonly clock: Clock;
  /** This process, or this part of one: what leases of others do not begin with. */
  readonly owner: string = makeOwner();
  abstract readonly can: Capabilities;
  #session: Session | undefined;

  /** @throws HeadgateError for times that make no sense, or leave none to renew again where a renewal has failed. */
  constructor({ lease, timeout, clock = systemClock }: StoreTimes) {
    this.lease = checkSpan('lease', lease);
    this.timeout = checkSpan('timeout', timeout);
    this.clock = clock;
    if (lease >= 3 * timeout) return;
    const expected = `at least three times timeout (${timeout} ms), to be renewed in time`;
    throw invalid('lease', expected, lease);
  }

  /** @internal What `createLimiter` makes where it is told of this store. */
  limiter(settings: LimiterSettings): Limiter {
    const shared = checkShared(settings, this);
    this.#session ??= new Session(this);
    return new SharedLimiter(shared, this.#session);
  }

  /**
   * Does them in their order, as far as they concern one limit; one answer each, in the same order. Never rejects, and
   * resolves after `timeout` milliseconds at the latest.
   */
  abstract send(ops: readonly Op[], timeout: number): Promise<Answer[]>;

  /**
   * Until when a lease is certain, by `clock`, that was last asked for at `sent` with success. A store that may end
   * leases early, because it takes their process for dead, says less here, and calls `check()` or `state()` whenever
   * that changes.
   */
  certainUntil(sent: number): number {
    return sent + this.lease * certainPart;
  }

  /** The listener is told from now on; returns what ends that. Called once. */
  abstract listen(listener: StoreListener): () => void;
  /** Rejects with a StoreError, after `timeout` at the latest. */
  abstract stats(ref: LimitName): Promise<StoreStats>;
  /** Ends what the store itself has opened. */
  abstract close(): Promise<void>;
}

/** 52 bits at random, in 11 characters: every lease's id begins with it, and is to be short. */
function makeOwner(): string {
  const [high = 0, low = 0] = crypto.getRandomValues(new Uint32Array(2));
  return ((high >>> 6) * 2 ** 26 + (low >>> 6)).toString(36).padStart(11, '0');
}
