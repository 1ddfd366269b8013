import { type Clock, type Limiter, systemClock } from '@headgate/core';
import type { StoreActivity } from '@headgate/core/engine';
import { checkSpan, type LimiterSettings, type LimiterSource } from '@headgate/core/engine';
import { checkCount, checkText, invalid } from '@headgate/core/options';
import { StoreWarnings } from './availability/store-warnings.ts';
import {
  type Answer,
  type Capabilities,
  certainPart,
  type LeaseStore,
  type LimitName,
  type Op,
  type StoreListener,
  type StoreSettings,
  type StoreStats,
} from './contract.ts';
import { DistributedLimiter } from './distributed-limiter.ts';
import { Session } from './lease/session.ts';
import { StoreCounters } from './lease/store-counters.ts';
import { checkHandoff } from './store-kit.ts';

/**
 * Counts distributed limits. Extend it to write your own store: `LeaseStore` documents what each method must do, and
 * `storeSuite()` of `@headgate/test-suite` tests it.
 */
export abstract class Store implements LeaseStore, LimiterSource {
  /** Its name in metrics. */
  readonly name: string;
  readonly leaseDuration: number;
  readonly timeout: number;
  readonly clock: Clock;
  readonly handoff: number;
  readonly reserve: number;
  /** What the store supports. */
  abstract readonly can: Capabilities;
  #owner: string | undefined;
  #session: Session | undefined;
  #warnings: StoreWarnings | undefined;

  /**
   * @param options The options of the store. Default name: `store`.
   * @throws HeadgateError for invalid options, and if `leaseDuration` is too short to retry a failed renewal.
   */
  constructor(options: StoreSettings & { readonly name?: string | undefined }) {
    const { leaseDuration, timeout, clock = systemClock, name = 'store' } = options;
    this.name = checkText('name', name);
    this.leaseDuration = checkSpan('leaseDuration', leaseDuration);
    this.timeout = checkSpan('timeout', timeout);
    this.clock = clock;
    this.handoff = checkHandoff(options.handoff ?? 0);
    this.reserve = checkCount('reserve', options.reserve ?? 0, 0);
    if (leaseDuration >= 3 * timeout) return;
    const expected = `at least three times timeout (${timeout} ms), to be renewed in time`;
    throw invalid('leaseDuration', expected, leaseDuration);
  }

  /** Created on first use: Cloudflare Workers have no random numbers at startup. */
  get owner(): string {
    this.#owner ??= makeOwner();
    return this.#owner;
  }

  /** @internal Creates the limiter that `createLimiter` returns for this store. */
  limiter(settings: LimiterSettings): Limiter {
    this.#session ??= new Session(this);
    this.#warnings ??= new StoreWarnings(this.clock);
    return new DistributedLimiter(settings, this.#session, this.#warnings);
  }

  certainUntil(sent: number): number {
    return sent + this.leaseDuration * certainPart;
  }

  /** Whether the store has been closed. Metrics omit closed stores. Override it: the default is false. */
  get closed(): boolean {
    return false;
  }

  /** How the store has behaved towards the limiters of this process, for metrics. */
  activity(): StoreActivity {
    return this.#session?.activity ?? { ...new StoreCounters(), up: true, roundTrip: undefined };
  }

  abstract send(ops: readonly Op[], timeout: number): Promise<Answer[]>;
  abstract listen(listener: StoreListener): () => void;
  abstract stats(ref: LimitName): Promise<StoreStats>;
  abstract close(): Promise<void>;
}

/** 52 random bits in 11 characters: short, since it is a part of every lease's id. */
function makeOwner(): string {
  const [high = 0, low = 0] = crypto.getRandomValues(new Uint32Array(2));
  return ((high >>> 6) * 2 ** 26 + (low >>> 6)).toString(36).padStart(11, '0');
}
