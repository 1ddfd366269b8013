import type { Rejection } from '@headgate/core';
import { sentence } from '@headgate/core/http';
import { type Refusal, refusalHeaders } from './refusal.ts';

/**
 * MCP leaves the codes from -32000 to -32019 to implementations. Of these, EIP-1474 uses this one for "limit exceeded",
 * and no SDK of MCP uses it for something else.
 */
const LIMIT_EXCEEDED = -32005;

/** What a client may know of a rejection: why, and after how many seconds to retry. Not the name of the limit. */
export function dataOf({ reason, retryAfter }: Rejection) {
  return { reason, retryAfter };
}

/**
 * The response to an MCP request over HTTP that was rejected before the SDK has seen it, for `onReject`: a JSON-RPC
 * error with code -32005 and `data: { reason, retryAfter }`.
 *
 * The status is 200 if the id of the request is known, since clients then pass code and data to the caller. They read
 * only the text of a response with another status. Otherwise it is 503, and the error has the id `null`.
 *
 * @param body The parsed body of the request, if the application has read it. Default: unknown.
 */
export function jsonRpcError(rejection: Rejection, body?: unknown): Refusal {
  const id = requestId(body);
  const error = { code: LIMIT_EXCEEDED, message: sentence(rejection), data: dataOf(rejection) };
  return {
    status: id === null ? 503 : 200,
    headers: refusalHeaders(rejection),
    body: JSON.stringify({ jsonrpc: '2.0', id, error }),
  };
}

/** Returns null for a notification and for a response, to which JSON-RPC has no answer, and for a batch. */
function requestId(body: unknown): string | number | null {
  if (typeof body !== 'object' || body === null) return null;
  const { id, method } = body as { id?: unknown; method?: unknown };
  if (typeof method !== 'string') return null;
  return typeof id === 'string' || typeof id === 'number' ? id : null;
}
