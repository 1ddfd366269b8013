import { type Caller, call } from '@headgate/test-kit/caller';
import { createLimiter, defaultLimit, fifo, type Order } from '../../src/index.ts';
import { FakeLoop } from './fake-loop.ts';

/** A default limit on a loop whose time the test controls; its adaptive limit stays at `limit`. */
export function scene(
  order: Order = fifo(),
  { limit = 100, maxWait = undefined as number | undefined } = {},
) {
  const loop = new FakeLoop();
  const bounds = { min: limit, max: limit, initial: limit };
  const limiter = createLimiter({
    limit: defaultLimit({ ...bounds, maxWait }, loop),
    order,
    clock: loop,
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
