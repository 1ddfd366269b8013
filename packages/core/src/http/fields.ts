import type { Takes } from '../gate/takes.ts';

/** Of a response's header; to be appended, since the app and other middleware may have such fields, too. */
export type Fields = readonly (readonly [name: string, value: string])[];

/**
 * The RateLimit fields of draft-ietf-httpapi-ratelimit-headers for the limits that apply, their quota counted in concurrent requests, and
 * `Server-Timing` for the wait. No partition key: a key may be an address or an account.
 */
export function limitFields(takes: Takes, waited: number): Fields {
  const policies: string[] = [];
  const states: string[] = [];
  for (const { limiter, key } of takes) {
    const { limit, inflight } = limiter.usage(key);
    const name = quoted(limiter.name);
    policies.push(`${name};q=${limit};qu="concurrent-requests"`);
    states.push(`${name};r=${Math.max(0, limit - inflight)}`);
  }
  const timing = ['Server-Timing', `headgate;dur=${waited}`] as const;
  if (takes.length === 0) return [timing];
  return [['RateLimit-Policy', policies.join(', ')], ['RateLimit', states.join(', ')], timing];
}

/** A structured field's string has no other characters than these (RFC 9651, 3.3.3). */
function quoted(name: string): string {
  return `"${name.replace(/[^ -~]/g, '?').replace(/["\\]/g, '\\$&')}"`;
}
