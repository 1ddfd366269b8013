import { createLimiter, fifo, type LimiterOptions, type Order, paced } from '../../src/index.ts';
import { type Caller, call } from '../caller.ts';
import { FakeLoop } from './fake-loop.ts';

export function scene(order: Order = fifo(), options: Partial<LimiterOptions> = {}) {
  const loop = new FakeLoop();
  const limiter = createLimiter({
    limit: 100,
    queueLimit: Infinity,
    order: paced(order, loop),
    clock: loop,
    ...options,
  });
  /** Handles requests that wait, then keep the loop busy, one after another, and lets it poll between them. */
  const measure = (work: number, count = 100, wait = 0) => {
    for (let index = 0; index < count; index++) {
      const { permit } = call(limiter);
      loop.rest(wait);
      loop.busy(work);
      permit?.release();
      loop.poll();
    }
  };
  return { loop, limiter, measure };
}

export const isGranted = (caller: Caller) => caller.permit !== undefined;
