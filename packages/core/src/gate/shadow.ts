import { LocalLimiter } from '../limiter/local-limiter.ts';
import type { BasePermit } from '../limiter/permit.ts';
import type { Rejection } from '../limiter/rejection.ts';
import type { GateLimit } from './gate-limits.ts';
import type { Takes } from './takes.ts';

/**
 * Shadow mode: takes the permits whatever the limits say. In truth what is beyond a limit would wait, and what
 * is beyond the line too would be turned away: this is the refusal to report. Nobody waits, so nobody times out.
 */
export function admitBeyond(limits: readonly GateLimit[], takes: Takes, queueLimit: number) {
  const parts: BasePermit[] = [];
  let refused: Rejection | undefined;
  for (const [index, { limiter }] of limits.entries()) {
    const take = takes[index];
    if (take === undefined || !(limiter instanceof LocalLimiter)) continue;
    parts.push(limiter.admitBeyond(take) as BasePermit);
    const { inflight, limit } = limiter.usage(take.key);
    // In requests, as if all were as heavy as this one.
    const queued = Math.ceil((inflight - limit) / take.weight);
    if (refused !== undefined || queued <= Math.min(queueLimit, limiter.queueLimit)) continue;
    refused = { reason: 'full', limit: limiter.name, queued, waited: 0, retryAfter: 1 };
  }
  return { parts, refused };
}
