/** What Redis says of the scripts it ran. */
export interface ScriptCost {
  /** EVALSHA and EVAL. */
  calls: number;
  /** Microseconds of the server's thread, in all. */
  spent: number;
}

const line = /^cmdstat_(?:evalsha|eval):calls=(\d+),usec=(\d+)/gm;

/** @param info What INFO commandstats answers. */
export function scriptCost(info: string): ScriptCost {
  const cost = { calls: 0, spent: 0 };
  for (const [, calls, spent] of info.matchAll(line)) {
    cost.calls += Number(calls);
    cost.spent += Number(spent);
  }
  return cost;
}
