/**
 * Milliseconds of the machine's monotonic clock. It is the same for all processes, and changes of `Date` do not affect
 * it, so events of several processes have one order, regardless of when they reach the verifier.
 */
export function stamp(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
