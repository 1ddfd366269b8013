import {
  createLimiter,
  type DistributedLimiterOptions,
  type Limiter,
  type Permit,
  type WaitOptions,
} from '@headgate/core';
import type { Store, StoreStats } from '@headgate/store-kit';
import { failureOf } from './failure.ts';

/** An event that is reported to the parent. */
export type LimiterEvent = { readonly kind: string } & Readonly<Record<string, unknown>>;

export type Tell = (event: LimiterEvent) => void;

/** A granted permit, as sent to the parent. */
export interface Granted {
  readonly fencing: bigint | undefined;
  readonly waited: number;
  /** Milliseconds of a clock that all processes share. */
  readonly at: number;
}

const kinds = ['queued', 'withdrawn', 'store', 'lost', 'reclaimed', 'conflict', 'resized'] as const;

function now(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

/** A limiter with a store of its own. The parent calls its methods. */
export class WorkerLimiter {
  protected readonly limiter: Limiter;
  readonly #store: Store;
  readonly #permits = new Map<number, Permit>();
  readonly #aborts = new Map<number, AbortController>();

  constructor(store: Store, options: Omit<DistributedLimiterOptions, 'store'>, tell: Tell) {
    this.#store = store;
    const observer = Object.fromEntries(
      kinds.map((kind) => [
        kind,
        ({ error, ...event }: { error?: unknown }) =>
          tell({ ...event, kind, error: error && failureOf(error) }),
      ]),
    );
    this.limiter = createLimiter({ ...options, store });
    this.limiter.observe(observer);
  }

  async acquire(serial: number, options: Omit<WaitOptions, 'signal'> = {}): Promise<Granted> {
    const abort = new AbortController();
    this.#aborts.set(serial, abort);
    const permit = await this.limiter.acquire({ ...options, signal: abort.signal });
    const at = now();
    this.#aborts.delete(serial);
    this.#permits.set(serial, permit);
    return { fencing: permit.fencing, waited: permit.waited, at };
  }

  /** Resolves with the reason of the permit's signal when it aborts. */
  async aborted(serial: number) {
    const { signal } = this.#permit(serial);
    if (!signal.aborted) {
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    }
    return failureOf(signal.reason);
  }

  isAborted(serial: number): boolean {
    return this.#permit(serial).signal.aborted;
  }

  abort(serial: number): void {
    this.#aborts.get(serial)?.abort(new Error('the caller has withdrawn'));
  }

  release(serial: number): number {
    const at = now();
    this.#permit(serial).release();
    return at;
  }

  adjust(serial: number, weight: number): void {
    this.#permit(serial).adjust(weight);
  }

  fencing(serial: number): bigint | undefined {
    return this.#permit(serial).fencing;
  }

  setLimit(limit: number): void {
    this.limiter.setLimit(limit);
  }

  operate(operation: 'pause' | 'rejectAll' | 'resume' | 'shadow' | 'enforce'): void {
    this.limiter[operation]();
  }

  stats() {
    const { state, mode } = this.limiter;
    return { ...this.limiter.stats(), state, mode };
  }

  stored(key?: string): Promise<StoreStats> {
    return this.#store.stats({ name: this.limiter.name, key });
  }

  /**
   * Runs `callers` concurrent callers that each acquire `times` permits; returns the maximum number that worked here at
   * the same time.
   */
  async work(callers: number, times: number): Promise<number> {
    let [running, most] = [0, 0];
    const call = async () => {
      for (let i = 0; i < times; i++) {
        await this.limiter.run(async () => {
          most = Math.max(most, ++running);
          await new Promise(setImmediate);
          running--;
        });
      }
    };
    await Promise.all(Array.from({ length: callers }, call));
    return most;
  }

  /** Releases everything, for the next test. */
  async end(): Promise<void> {
    for (const permit of this.#permits.values()) permit.release();
    await this.limiter.close({ timeout: 0 });
    await this.#store.close();
  }

  #permit(serial: number): Permit {
    const permit = this.#permits.get(serial);
    if (permit === undefined) throw new Error(`there is no permit ${serial}`);
    return permit;
  }
}
