import { checkSpan, invalid } from '@headgate/core/shared';

const shortest = 100;
/** The most that the service is told. */
export const longest = 1e12;

/** Milliseconds, whole. */
export function checkLease(value: number | undefined = 10_000): number {
  const lease = Math.floor(checkSpan('lease', value));
  if (lease >= shortest && lease <= longest) return lease;
  throw invalid('lease', `at least ${shortest} ms, and finite`, value);
}
