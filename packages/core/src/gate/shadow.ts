import type { InProcessLimiter } from '../limiter/local-limiter.ts';
import type { BasePermit } from '../limiter/permit.ts';
import type { Rejection } from '../limiter/rejection.ts';
import type { Takes } from './takes.ts';

/**
 * Shadow mode: acquires the permits regardless of the limits. In enforcing mode, requests beyond a limit would be
 * queued, and those beyond the queue rejected; this returns that rejection to report it. Nothing is queued, so
 * nothing times out.
 */
export function admitBeyond(takes: Takes, queueLimit: number) {
  const parts: BasePermit[] = [];
  let rejection: Rejection | undefined;
  for (const take of takes) {
    // A gate in shadow mode only has limiters that it made itself.
    const limiter = take.limiter as InProcessLimiter;
    parts.push(limiter.admitBeyond(take));
    const { inflight, limit } = limiter.usage(take.key);
    // In requests, assuming that all have the weight of this one.
    const queued = Math.ceil((inflight - limit) / take.weight);
    const isFull = queued > Math.min(queueLimit, limiter.queueLimit);
    const isHeavy = inflight - limit > limiter.queueWeight;
    if (rejection !== undefined || !(isFull || isHeavy)) continue;
    rejection = { reason: 'full', limit: limiter.name, queued, waited: 0, retryAfter: 1 };
  }
  return { parts, rejection };
}
