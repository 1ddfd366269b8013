import type { Demand, Demands } from '../src/gate/demands.ts';
import type { Gate, Waiter } from '../src/index.ts';

/** The demand on each limit, in the gate's order; undefined if one does not apply. */
export type Amounts = readonly (Omit<Demand, 'limiter'> | undefined)[];

function takesOf(gate: Pick<Gate, 'limiters'>, amounts: Amounts): Demands {
  return Object.values(gate.limiters).flatMap((limiter, index) => {
    const amount = amounts[index];
    return amount === undefined ? [] : [{ limiter, ...amount }];
  });
}

export function askGate(
  gate: Pick<Gate, 'limiters' | 'request'>,
  waiter: Waiter,
  amounts: Amounts,
) {
  gate.request(waiter, takesOf(gate, amounts));
}
