import type { GateLimit } from '../gate/gate-limits.ts';
import type { Takes } from '../gate/takes.ts';

/**
 * The IETF draft's RateLimit fields for the limits that apply, their quota counted in concurrent requests, and
 * `Server-Timing` for the wait. No partition key: a key may be an address or an account.
 */
export function limitFields(
  limits: readonly GateLimit[],
  takes: Takes,
  waited: number,
): [name: string, value: string][] {
  const policies: string[] = [];
  const states: string[] = [];
  for (const [index, { limiter }] of limits.entries()) {
    const take = takes[index];
    if (take === undefined) continue;
    const { limit, inflight } = limiter.usage(take.key);
    const name = quoted(limiter.name);
    policies.push(`${name};q=${limit};qu="concurrent-requests"`);
    states.push(`${name};r=${Math.max(0, limit - inflight)}`);
  }
  return [
    ['RateLimit-Policy', policies.join(', ')],
    ['RateLimit', states.join(', ')],
    ['Server-Timing', `headgate;dur=${waited}`],
  ];
}

/** A structured field's string has no other characters than these (RFC 9651, 3.3.3). */
function quoted(name: string): string {
  return `"${name.replace(/[^ -~]/g, '?').replace(/["\\]/g, '\\$&')}"`;
}
