import { createLimiter } from '@headgate/core';
import { atMost } from '../goal.ts';
import type { Row } from '../row.ts';
import type { Trial } from '../trial.ts';

const COUNT = 100_000;

export const row: Row = {
  id: 'at-once',
  name: 'Many calls at once',
  description:
    '100,000 calls of `run()` at once, on a limit of 10 with `queueLimit: 1e6`, each of them done at once. Real time: while the calls\n' +
    'are made, nothing can release.',
  measure: async (trial) => ({
    goals: [
      atMost('rejected calls', 0, 'calls', [{ setting: '10', value: await rejectedOf(trial) }]),
    ],
  }),
};

async function rejectedOf({ part, override }: Trial): Promise<number> {
  const limiter = createLimiter({ limit: 10, queueLimit: 1e6, ...override?.([]) });
  const calls = Array.from({ length: COUNT * part }, () => limiter.run(async () => {}));
  const settled = await Promise.allSettled(calls);
  return settled.filter(({ status }) => status === 'rejected').length;
}
