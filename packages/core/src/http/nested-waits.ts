import type { Demands } from '../gate/demands.ts';
import { warnOnce } from '../warning.ts';

/** Reports a request that is queued for a limit while it holds a permit of a limit around it. */
export function warnOfNestedWait(inner: Demands, outer: Demands): void {
  if (outer.length === 0) return;
  warnOnce('HEADGATE_NESTED_WAIT', () => {
    const both = `is queued for ${names(inner)} while it holds a permit of ${names(outer)} in another middleware`;
    return `a request ${both}; combine the limits in one middleware`;
  });
}

/** Reports an inner request that is queued although the request that made it holds a permit. */
export function warnOfInnerWait(inner: Demands, outer: Demands): void {
  if (outer.length === 0) return;
  const message = () =>
    `a request of the app to itself is queued for ${names(inner)} while the request that made it holds a permit of ${names(outer)}`;
  warnOnce('HEADGATE_NESTED_WAIT', message, 'inner');
}

function names(demands: Demands): string {
  return demands.map(({ limiter }) => `"${limiter.name}"`).join(', ');
}
