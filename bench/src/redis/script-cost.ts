/** Redis' statistics of its scripts. */
export interface ScriptCost {
  /** EVALSHA and EVAL. */
  calls: number;
  /** Total microseconds of the server's thread. */
  spent: number;
}

const line = /^cmdstat_(?:evalsha|eval):calls=(\d+),usec=(\d+)/gm;

/** @param info The reply to INFO commandstats. */
export function scriptCost(info: string): ScriptCost {
  const cost = { calls: 0, spent: 0 };
  for (const [, calls, spent] of info.matchAll(line)) {
    cost.calls += Number(calls);
    cost.spent += Number(spent);
  }
  return cost;
}
