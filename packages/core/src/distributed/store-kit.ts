import { checkSpan } from '../checks.ts';
import { invalid } from '../errors.ts';
import type { Capabilities } from './contract.ts';

/** The `can` of a store that supports everything. */
export const fullCapabilities: Capabilities = {
  fencing: true,
  queueLimit: true,
  setLimit: true,
  operate: true,
  keys: true,
  place: true,
  resize: true,
  recall: true,
  counts: true,
};

const MIN_LEASE_MS = 100;
/** The highest value that is still a whole number of milliseconds in every server. */
const MAX_LEASE_MS = 1e12;

/**
 * Checks the duration of a store's leases, which it rounds down to whole milliseconds, and adds the default times.
 *
 * @throws HeadgateError unless `leaseDuration` is a number from 100 to 1,000,000,000,000.
 */
export function checkTimes(options: {
  readonly leaseDuration?: number | undefined;
  readonly timeout?: number | undefined;
}): { readonly leaseDuration: number; readonly timeout: number } {
  const leaseDuration = Math.floor(checkSpan('leaseDuration', options.leaseDuration ?? 10_000));
  if (leaseDuration < MIN_LEASE_MS || leaseDuration > MAX_LEASE_MS) {
    const expected = `a number of milliseconds from ${MIN_LEASE_MS} to ${MAX_LEASE_MS}`;
    throw invalid('leaseDuration', expected, options.leaseDuration);
  }
  return { leaseDuration, timeout: options.timeout ?? Math.min(1_000, leaseDuration / 3) };
}
