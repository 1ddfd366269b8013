import type { Order } from '@headgate/core';
import type { Simulation } from '../simulation.ts';
import type { Arrival } from './arrivals.ts';

export type LimitOptions = Parameters<Simulation['limiter']>[0];

/** How the rows are measured. */
export interface Trial {
  /** The part of the requests that is simulated. 1: all of them; tests need few. */
  readonly part: number;
  /** The queue order of the rows that have none of their own. Default: the limiter's. */
  readonly order?: Order;
  /** Options of the limiter, over those of the row: tests show that bad ones make the rows miss their goals. */
  readonly override?: (arrivals: readonly Arrival[]) => Partial<LimitOptions>;
}
