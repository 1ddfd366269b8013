import type { DistributedLimiterOptions } from '@headgate/core';

/** The settings of a shared limit that a process receives, for any store. */
export interface LimitSettings {
  readonly lease: number;
  readonly timeout: number;
  readonly limiter: Omit<DistributedLimiterOptions, 'store'>;
}

/** The options that a test chooses. */
export interface LimitOptions extends Omit<DistributedLimiterOptions, 'store' | 'name'> {
  readonly name?: string;
  readonly lease?: number | undefined;
  readonly timeout?: number | undefined;
}

let names = 0;

/** Adds a unique name, and timeouts that are long enough for a busy machine not to cause an outage. */
export function limitSettings(options: LimitOptions): LimitSettings {
  const { lease = 10_000, timeout = Math.min(lease / 3, 3_000), ...limiter } = options;
  const usual = { name: `limit ${++names}`, queueLimit: 1_000, queueTimeout: 20_000 };
  return { lease, timeout, limiter: { ...usual, ...limiter } };
}
