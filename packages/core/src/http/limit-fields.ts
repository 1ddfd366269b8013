import type { Demands } from '../gate/demands.ts';

/** Header fields of a response. Append them, since the app and other middleware may set the same fields. */
export type Fields = readonly (readonly [name: string, value: string])[];

/** A response of a framework that has no method to append a field. */
interface FieldsResponse {
  getHeader(name: string): unknown;
  header(name: string, value: string): unknown;
}

/** Appends header fields to a response, after values that it has already. */
export function appendFields(response: FieldsResponse, fields: Fields): void {
  for (const [name, value] of fields) {
    const earlier = response.getHeader(name);
    response.header(name, earlier === undefined ? value : `${earlier}, ${value}`);
  }
}

/**
 * For each limit that applies: the RateLimit fields of draft-ietf-httpapi-ratelimit-headers, with quotas in concurrent
 * requests. Also `Server-Timing` for the wait. The partition key is omitted, since a key may be an address or an
 * account.
 */
export function limitFields(demands: Demands, waited: number): Fields {
  const policies: string[] = [];
  const states: string[] = [];
  for (const { limiter, key, limit: own } of demands) {
    const { limit: known, inflight } = limiter.usage(key);
    // The limit of a key without requests is unknown: another limit has rejected the request before it reached this
    // one.
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
