import type { Demands } from '../gate/demands.ts';

/** Header fields of a response. They must be appended, since the app and other middleware may set the same fields. */
export type Fields = readonly (readonly [name: string, value: string])[];

/** The responses of frameworks without a method that appends. */
interface FieldsResponse {
  getHeader(name: string): unknown;
  header(name: string, value: string): unknown;
}

export function appendFields(response: FieldsResponse, fields: Fields): void {
  for (const [name, value] of fields) {
    const earlier = response.getHeader(name);
    response.header(name, earlier === undefined ? value : `${earlier}, ${value}`);
  }
}

/**
 * The RateLimit fields of draft-ietf-httpapi-ratelimit-headers for the limits that apply, with quotas in concurrent
 * requests, and `Server-Timing` for the wait. They omit the partition key, because a key may be an address or an
 * account.
 */
export function limitFields(demands: Demands, waited: number): Fields {
  const policies: string[] = [];
  const states: string[] = [];
  for (const { limiter, key, limit: own } of demands) {
    const { limit: known, inflight } = limiter.usage(key);
    // Nothing is known of a key without requests, such as that of a request that another limit has rejected.
    const limit = own ?? known;
    const name = quoted(limiter.name);
    policies.push(`${name};q=${limit};qu="concurrent-requests"`);
    states.push(`${name};r=${Math.max(0, limit - inflight)}`);
  }
  const timing = ['Server-Timing', `headgate;dur=${waited}`] as const;
  if (demands.length === 0) return [timing];
  return [['RateLimit-Policy', policies.join(', ')], ['RateLimit', states.join(', ')], timing];
}

/** A structured field's string allows only these characters (RFC 9651, 3.3.3). */
function quoted(name: string): string {
  return `"${name.replace(/[^ -~]/g, '?').replace(/["\\]/g, '\\$&')}"`;
}
