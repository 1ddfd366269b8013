import type { DistributedLimiterOptions } from '@headgate/core';

/** Options of a store that save round trips. */
export interface Saving {
  readonly handoff?: number | undefined;
  readonly reserve?: number | undefined;
}

/** The settings of a shared limit that a process receives, for any store. */
export interface LimitSettings {
  readonly lease: number;
  readonly timeout: number;
  readonly saving: Saving;
  readonly limiter: Omit<DistributedLimiterOptions, 'store'>;
}

/** The options that a test chooses. */
export interface LimitOptions extends Saving, Omit<DistributedLimiterOptions, 'store' | 'name'> {
  readonly name?: string;
  readonly lease?: number | undefined;
  readonly timeout?: number | undefined;
}

let names = 0;

/** Adds a unique name. Adds timeouts that are so long that a busy machine does not cause an outage. */
export function limitSettings(options: LimitOptions): LimitSettings {
  const { lease = 10_000, handoff, reserve, ...rest } = options;
  const { timeout = Math.min(lease / 3, 3_000), ...limiter } = rest;
  const usual = { name: `limit ${++names}`, queueLimit: 1_000, queueTimeout: 20_000 };
  return { lease, timeout, saving: { handoff, reserve }, limiter: { ...usual, ...limiter } };
}
