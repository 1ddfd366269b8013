import type { InProcessLimiter } from '../limiter/local-limiter.ts';
import type { BasePermit } from '../limiter/permit.ts';
import type { Rejection } from '../limiter/rejection.ts';
import type { Takes } from './takes.ts';

/**
 * Shadow mode: takes the permits whatever the limits say. In truth what is beyond a limit would wait, and what
 * is beyond the line too would be turned away: this is the rejection to report. Nobody waits, so nobody times out.
 */
export function admitBeyond(takes: Takes, queueLimit: number) {
  const parts: BasePermit[] = [];
  let rejection: Rejection | undefined;
  for (const take of takes) {
    // A gate in shadow mode has made all its limiters itself.
    const limiter = take.limiter as InProcessLimiter;
    parts.push(limiter.admitBeyond(take));
    const { inflight, limit } = limiter.usage(take.key);
    // In requests, as if all were as heavy as this one.
    const queued = Math.ceil((inflight - limit) / take.weight);
    const isFull = queued > Math.min(queueLimit, limiter.queueLimit);
    const isHeavy = inflight - limit > limiter.queueWeight;
    if (rejection !== undefined || !(isFull || isHeavy)) continue;
    rejection = { reason: 'full', limit: limiter.name, queued, waited: 0, retryAfter: 1 };
  }
  return { parts, rejection };
}
