/** Redis's statistics of the scripts it ran. */
export interface ScriptCost {
  /** Calls of EVALSHA and EVAL. */
  calls: number;
  /** Total time of the server's thread in microseconds. */
  spent: number;
}

const commandStat = /^cmdstat_(?:evalsha|eval):calls=(\d+),usec=(\d+)/gm;

/** @param info The reply to INFO commandstats. */
export function scriptCost(info: string): ScriptCost {
  const cost = { calls: 0, spent: 0 };
  for (const [, calls, spent] of info.matchAll(commandStat)) {
    cost.calls += Number(calls);
    cost.spent += Number(spent);
  }
  return cost;
}
