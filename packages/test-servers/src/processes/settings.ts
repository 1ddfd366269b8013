import type { SharedLimiterOptions } from '@headgate/core';

/** What a process is told of the limit that it shares, whatever counts it. */
export interface LimitSettings {
  readonly lease: number;
  readonly timeout: number;
  readonly limiter: Omit<SharedLimiterOptions, 'store'>;
}

/** What a test says of it. */
export interface LimitOptions extends Omit<SharedLimiterOptions, 'store' | 'name'> {
  readonly name?: string;
  readonly lease?: number | undefined;
  readonly timeout?: number | undefined;
}

let names = 0;

/** Of a name that no other test uses, and patient: a busy machine is not an outage. */
export function limitSettings(options: LimitOptions): LimitSettings {
  const { lease = 10_000, timeout = Math.min(lease / 3, 3_000), ...limiter } = options;
  const usual = { name: `limit ${++names}`, queueLimit: 1_000, queueTimeout: 20_000 };
  return { lease, timeout, limiter: { ...usual, ...limiter } };
}
