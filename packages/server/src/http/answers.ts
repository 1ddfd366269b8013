import type { Context } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import type { Refusal, RefusalKind } from '../state/refusal.ts';

const statuses: Record<RefusalKind, ContentfulStatusCode> = {
  'unknown-semaphore': 400,
  'unknown-peer': 400,
  count: 400,
  never: 409,
  hierarchy: 409,
  pending: 409,
  restore: 409,
  shrinking: 501,
  busy: 503,
};

/** Seconds after which a client may retry. */
const RETRY_AFTER = '1';

/** Sends the refusal's text as the whole body, because clients compare it. */
export function refused(c: Context, { kind, text }: Refusal): Response {
  if (kind === 'busy') c.header('Retry-After', RETRY_AFTER);
  return c.text(text, statuses[kind]);
}

const asJson = { 'Content-Type': 'application/json' };

/** A bigint printed in decimal is valid JSON. */
export function jsonNumber(c: Context, value: bigint | boolean, status: 200 | 202 = 200): Response {
  return c.body(`${value}`, status, asJson);
}

export function jsonText(c: Context, text: string): Response {
  return c.body(text, 200, asJson);
}
