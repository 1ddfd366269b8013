/** A request of the simulation. */
export interface SimulatedRequest {
  /** Milliseconds. */
  readonly end: number;
  readonly took: number;
}

/**
 * A server with a pool: requests arrive at random, and wait for one of its connections without a limit.
 *
 * @param phases How long each phase takes, in seconds, and its load as a multiple of the capacity.
 * @returns The requests in the order of their ends.
 */
export function simulatedServer(
  pool: { readonly connections: number; readonly milliseconds: number },
  phases: readonly (readonly [seconds: number, load: number])[],
  random: () => number,
): SimulatedRequest[] {
  const exponential = () => -Math.log(1 - random());
  const free = Array.from({ length: pool.connections }, () => 0);
  const capacity = pool.connections / pool.milliseconds;
  const requests: SimulatedRequest[] = [];
  let [arrival, phaseEnd] = [0, 0];
  for (const [seconds, load] of phases) {
    phaseEnd += 1000 * seconds;
    for (; arrival < phaseEnd; arrival += exponential() / (capacity * load)) {
      const next = free.indexOf(Math.min(...free));
      const end = Math.max(arrival, free[next] as number) + pool.milliseconds * (0.5 + random());
      free[next] = end;
      requests.push({ end, took: end - arrival });
    }
  }
  return requests.sort((one, other) => one.end - other.end);
}
