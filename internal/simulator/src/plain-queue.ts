import type { LimitFactory } from '@headgate/core';

const nothing = () => {};

/** A limit with a plain queue, which neither predicts waits nor learns how long clients wait. */
export function plainQueue(limit: number): LimitFactory {
  return {
    create: () => ({ limit, sample: nothing }),
    control: () => ({
      ...{ maxQueued: Infinity, mayStart: () => true, waitLeft: () => Infinity, delay: () => 0 },
      ...{ watch: nothing, queued: nothing, shed: nothing },
      ...{ started: nothing, finished: nothing, paused: nothing },
    }),
  };
}
