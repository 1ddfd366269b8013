/**
 * Milliseconds of the machine's monotonic clock. Every process reads the same one, and a step of `Date` does not move
 * it: so what several processes note has one order, whenever it reaches the verifier.
 */
export function stamp(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
