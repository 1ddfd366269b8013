import { VirtualClock } from '@headgate/test-suite';
import { createLimiter, type LimiterOptions } from '../src/index.ts';

/** A limiter without capacity, so that requests wait up to 100 ms. */
export function occupied(options: Partial<LimiterOptions> = {}) {
  const clock = new VirtualClock();
  const limiter = createLimiter({ limit: 1, queueLimit: 9, queueTimeout: 100, clock, ...options });
  const held = limiter.tryAcquire({ weight: limiter.limit });
  return { clock, limiter, release: () => held?.release() };
}
