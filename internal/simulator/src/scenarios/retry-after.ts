import type { LocalLimiter } from '@headgate/core';
import { CallbackWaiter } from '../callback-waiter.ts';
import type { Scenario } from '../scenario.ts';
import { Simulation } from '../simulation.ts';

class WithoutJitter extends Simulation {
  override readonly random = () => 0;
}

/** For each step: the second, the number of rejections in it, and the `Retry-After` of the first of them. */
const steps = [
  [0, 5, 1],
  [1, 11, 2],
  [2, 1, 2],
  [3, 11, 4],
  [4, 1, 4],
  [7, 1, 8],
  [11, 1, 8],
  [15, 1, 7],
  [17, 1, 6],
  [21, 14, 5],
  [22, 1, 10],
] as const;

export const scenario: Scenario = {
  id: 'retry-after',
  name: 'Retry-After while requests are rejected, in seconds',
  source: 'Kubernetes, the test of its adaptive Retry-After',
  run() {
    const simulation = new WithoutJitter();
    const limiter = simulation.limiter({ limit: 1 });
    const figures = steps.map(([second, drops, published]) => {
      simulation.runUntil(second * 1000);
      const measured = retryAfterAmid(limiter, drops);
      const what = `second ${second}, ${drops} rejected`;
      return {
        what,
        published: String(published),
        measured,
        expected: [published, published] as const,
      };
    });
    return { figures };
  },
};

function retryAfterAmid(limiter: LocalLimiter, drops: number): number {
  // At this rate of completions, the estimated wait is negligible, and the backoff alone decides.
  for (let count = 0; count < 100_000; count++) limiter.tryAcquire()?.release();
  const permit = limiter.tryAcquire();
  const values: number[] = [];
  const caller = () =>
    new CallbackWaiter(
      () => {},
      ({ retryAfter: seconds }) => void values.push(seconds),
    );
  for (let drop = 0; drop < drops; drop++) caller().requestFrom(limiter);
  permit?.release();
  return values[0] ?? 0;
}
