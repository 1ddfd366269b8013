/**
 * Milliseconds of the machine's monotonic clock. All processes share it, and changes of `Date` do not affect it. So
 * events of several processes have one order, whenever they reach the verifier.
 */
export function stamp(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
