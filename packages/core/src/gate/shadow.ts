import type { InProcessLimiter } from '../limiter/local-limiter.ts';
import type { BasePermit } from '../semaphore/permit.ts';
import type { Rejection } from '../semaphore/rejection.ts';
import type { Demands } from './demands.ts';

/**
 * Shadow mode: acquires the permits regardless of the limits. In enforcing mode, requests beyond a limit would be
 * queued, and those beyond the queue rejected; this returns that rejection to report it. Nothing is queued, so
 * nothing times out.
 */
export function admitBeyond(demands: Demands, queueLimit: number) {
  const parts: BasePermit[] = [];
  let rejection: Rejection | undefined;
  for (const demand of demands) {
    // A gate in shadow mode only has limiters that it made itself.
    const limiter = demand.limiter as InProcessLimiter;
    parts.push(limiter.admitBeyond(demand));
    const { inflight, limit } = limiter.usage(demand.key);
    // In requests, assuming that all have the weight of this one.
    const queued = Math.ceil((inflight - limit) / demand.weight);
    const isFull = queued > Math.min(queueLimit, limiter.queueLimit);
    const isHeavy = inflight - limit > limiter.queueWeight;
    if (rejection !== undefined || !(isFull || isHeavy)) continue;
    rejection = { reason: 'full', limitName: limiter.name, queued, waited: 0, retryAfter: 1 };
  }
  return { parts, rejection };
}
