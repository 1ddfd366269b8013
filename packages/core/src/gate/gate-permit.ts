import type { Outcome } from '../limits/limit.ts';
import { deferGrants } from '../semaphore/grants.ts';
import { BasePermit, type PermitRegistry } from '../semaphore/permit.ts';

/** The permits of all limits of a gate as one permit. Its weight is the highest of theirs. */
export class GatePermit extends BasePermit {
  private isMarked = false;

  constructor(
    protected readonly registry: PermitRegistry,
    private readonly parts: readonly BasePermit[],
    waited: number,
  ) {
    super(heaviest(parts), waited);
    for (const part of parts) {
      part.whole = this;
      // `maxHold` released the part while the request was queued at a later limit.
      if (part.released) this.abort(part.signal.reason);
    }
  }

  get key(): string | undefined {
    return this.parts.find(({ key }) => key !== undefined)?.key;
  }

  override get fencing(): bigint | undefined {
    return this.parts.find(({ fencing }) => fencing !== undefined)?.fencing;
  }

  override watch(): void {
    super.watch();
    for (const part of this.parts) part.watch();
  }

  override countAbandoned(): void {
    super.countAbandoned();
    for (const part of this.parts) part.countAbandoned();
  }

  override mark(): void {
    if (this.isMarked || this.released) return;
    this.isMarked = true;
    for (const part of this.parts) part.mark();
  }

  countsAgainst(limit: string): boolean {
    return this.parts.some((part) => part.countsAgainst(limit));
  }

  override counts(limit: string): boolean {
    return this.parts.some((part) => part.counts(limit));
  }

  override pauseCounting(): void {
    const extra = this.extras();
    if (extra.uncounted !== undefined) return;
    extra.uncounted = 'paused';
    for (const part of this.parts) if (part.isControlled) part.pauseCounting();
  }

  override countAgain(): void {
    if (this.extra?.uncounted !== 'paused') return;
    this.extra.uncounted = undefined;
    for (const part of this.parts) part.countAgain();
  }

  override stopCounting(outcome?: Outcome, maxDelay?: number): void {
    for (const part of this.parts) if (part.isControlled) part.stopCounting(outcome, maxDelay);
  }

  protected changeWeight(weight: number, limit: string | undefined): void {
    const affected = this.parts.filter((part) =>
      limit === undefined ? part.weight === this.weight : part.countsAgainst(limit),
    );
    deferGrants(() => adjustAll(affected, weight));
    this.weight = heaviest(this.parts);
  }

  protected returnWeight(outcome: Outcome): void {
    releaseAll(this.parts, outcome);
  }
}

/**
 * Releases all parts before granting any waiter: a waiter that is then granted the first limit joins the queue of the
 * last limit in its order of arrival.
 */
export function releaseAll(parts: readonly BasePermit[], outcome: Outcome): void {
  if (parts.length === 1) return parts[0]?.release(outcome);
  deferGrants(() => {
    for (const part of parts) part.release(outcome);
  });
}

/** Adjusts all parts, or none if a store refuses. */
function adjustAll(parts: readonly BasePermit[], weight: number): void {
  const adjusted: { part: BasePermit; before: number }[] = [];
  try {
    for (const part of parts) {
      const before = part.weight;
      part.adjust(weight);
      adjusted.push({ part, before });
    }
  } catch (error) {
    for (const { part, before } of adjusted) part.adjust(before);
    throw error;
  }
}

function heaviest(parts: readonly BasePermit[]): number {
  let weight = 0;
  for (const part of parts) if (part.weight > weight) weight = part.weight;
  return weight;
}
