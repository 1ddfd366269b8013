import { checkSpan, invalid } from '@headgate/core/options';

const min = 100;
/** Maximum duration sent to the service, in milliseconds. */
export const maxDuration = 1e12;

/**
 * Checks the lease's length and rounds it down to whole milliseconds.
 *
 * @throws HeadgateError unless it is a finite number of at least 100.
 */
export function checkLease(value: number | undefined = 10_000): number {
  const lease = Math.floor(checkSpan('leaseDuration', value));
  if (lease >= min && lease <= maxDuration) return lease;
  throw invalid('leaseDuration', `at least ${min} ms, and finite`, value);
}
