import type { Limit } from '../limits/limit.ts';
import type { LocalPermit } from './local-permit.ts';
import type { Outcome } from './permit.ts';
import type { Pools } from './pools.ts';

/** Shows a limit that moves what is over, and follows it. */
export class Movement {
  /** Weight held by requests that still wait at a later limit of their gate: it is not at work. */
  private idle = 0;

  constructor(
    private readonly pools: Pools,
    private readonly moving: Limit,
  ) {}

  /** Where the limit is now. */
  get limit(): number {
    return Math.max(1, Math.floor(this.moving.limit));
  }

  pause({ weight }: LocalPermit): void {
    this.idle += weight;
  }

  resume(permit: LocalPermit): void {
    permit.since = this.pools.settings.clock.now();
    this.idle -= permit.weight;
  }

  /** Before the permit's weight is free. */
  over(permit: LocalPermit, outcome: Outcome): void {
    const { pools, idle } = this;
    const isPaused = permit.waiter !== undefined;
    if (isPaused) this.idle -= permit.weight;
    if (isPaused || outcome === 'ignored') return;
    const now = pools.settings.clock.now();
    const inflight = pools.inflight - idle;
    const { kind } = permit;
    this.moving.sample({ rtt: now - permit.since, inflight, outcome, now, kind });
    if (this.limit !== pools.limit) pools.resize(this.limit);
  }
}
