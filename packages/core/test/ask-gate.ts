import type { Gate, Take, Takes, Waiter } from '../src/index.ts';

/** The demand on each limit, in the gate's order; undefined if a limit does not apply. */
export type Amounts = readonly (Omit<Take, 'limiter'> | undefined)[];

function takesOf(gate: Pick<Gate, 'limits'>, shares: Amounts): Takes {
  return gate.limits.flatMap(({ limiter }, index) => {
    const share = shares[index];
    return share === undefined ? [] : [{ limiter, ...share }];
  });
}

export function askGate(gate: Pick<Gate, 'limits' | 'request'>, waiter: Waiter, shares: Amounts) {
  gate.request(waiter, takesOf(gate, shares));
}
