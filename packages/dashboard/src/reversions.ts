import type { Clock, Limiter } from '@headgate/core';
import { idOf } from './sources.ts';

type LimitValue = Parameters<Limiter['setLimit']>[0];

/** A limit that returns to its earlier value. */
export interface Reversion {
  /** The earlier value. */
  readonly to: LimitValue;
  /** The time of the reversion, in milliseconds of the process's clock. */
  readonly at: number;
}

/** A property of a limiter that can be changed for a while. */
interface Property<V> {
  current(limiter: Limiter): V;
  /** Whether the limiter still has the value that was set. If not, a later value was set, which stays. */
  applies(limiter: Limiter, set: V): boolean;
  revert(limiter: Limiter, to: V): void;
}

interface Pending<V> {
  readonly to: V;
  readonly at: number;
  /** The value that applies until then. */
  readonly temporary: V;
  /** The operator that has set it. */
  readonly owner: object;
  /** Stops the timer. */
  cancel(): void;
}

/**
 * Reverts one property of this process's limits, whichever dashboard has set it. All dashboards share this object, so
 * that none takes the temporary value of another for the earlier value.
 */
class Reversions<V> {
  readonly #pending = new Map<Limiter, Pending<V>>();

  constructor(private readonly property: Property<V>) {}

  /**
   * The value to which a temporary value reverts. Must be called before the new value is set: a second temporary value
   * reverts to the same value as the first.
   */
  earlier(limiter: Limiter): V {
    const pending = this.#pending.get(limiter);
    return pending !== undefined && this.property.applies(limiter, pending.temporary)
      ? pending.to
      : this.property.current(limiter);
  }

  /** Schedules that a value is reverted after a delay in milliseconds. */
  schedule(
    limiter: Limiter,
    { temporary, to }: { readonly temporary: V; readonly to: V },
    {
      delay,
      clock,
      owner,
    }: { readonly delay: number; readonly clock: Clock; readonly owner: object },
  ): void {
    this.forget(limiter);
    const timer = clock.setTimeout(() => this.#revert(limiter), delay);
    (timer as { unref?: () => void } | undefined)?.unref?.();
    const at = Math.round(clock.now() + delay);
    this.#pending.set(limiter, {
      ...{ to, at, temporary, owner },
      cancel: () => clock.clearTimeout(timer),
    });
  }

  forget(limiter: Limiter): void {
    this.#pending.get(limiter)?.cancel();
    this.#pending.delete(limiter);
  }

  /** Reverts at once all values that this operator has set. */
  revertAllOf(owner: object): void {
    for (const [limiter, pending] of [...this.#pending]) {
      if (pending.owner === owner) this.#revert(limiter);
    }
  }

  /** The reversions of the given limits, by their id. */
  of(
    limits: readonly { readonly id: number }[],
  ): Record<number, { readonly to: V; readonly at: number }> {
    const shown = new Set(limits.map(({ id }) => id));
    const applying = [...this.#pending].filter(
      ([limiter, { temporary }]) =>
        shown.has(idOf(limiter)) && this.property.applies(limiter, temporary),
    );
    return Object.fromEntries(applying.map(([limiter, { to, at }]) => [idOf(limiter), { to, at }]));
  }

  #revert(limiter: Limiter): void {
    const pending = this.#pending.get(limiter);
    this.forget(limiter);
    if (pending === undefined || !this.property.applies(limiter, pending.temporary)) return;
    this.property.revert(limiter, pending.to);
  }
}

/** Temporary limits. */
export const limitReversions = new Reversions<LimitValue>({
  current: settingOf,
  applies: (limiter, set) => !limiter.closed && settingOf(limiter) === set,
  revert: (limiter, to) => limiter.setLimit(to),
});

/** Limits that are temporarily paused or rejecting. */
export const resumptions = new Reversions<Limiter['state']>({
  current: ({ state }) => state,
  applies: ({ state }, set) => state === set,
  revert: (limiter) => limiter.resume(),
});

function settingOf({ isFixed, limit }: Limiter): LimitValue {
  return isFixed ? limit : 'adaptive';
}
