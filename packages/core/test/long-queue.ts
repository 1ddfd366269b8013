import type { LimitFactory } from '../src/index.ts';

const passive = () => {};

/** A limit whose controller starts every request and sheds none, so that its queue is bounded by `queueLimit` only. */
export function withLongQueue(limit: number): LimitFactory {
  return {
    create: () => ({ limit, sample: passive }),
    control: () => ({
      ...{ maxQueued: Infinity, mayStart: () => true, waitLeft: () => Infinity, delay: () => 0 },
      ...{ watch: passive, queued: passive, shed: passive },
      ...{ started: passive, finished: passive, paused: passive },
    }),
  };
}
