import type { Rejection } from '@headgate/core';
import { checkNames, invalid } from '@headgate/core/options';

/** The response to a rejected request, for any framework. */
export interface Refusal {
  /** Status code. */
  readonly status: number;
  /** Header fields, with `Retry-After` and `Content-Type`. */
  readonly headers: Readonly<Record<string, string>>;
  /** JSON text. */
  readonly body: string;
}

/** The headers of every refusal. */
export function refusalHeaders({ retryAfter }: Rejection): Record<string, string> {
  return {
    'Content-Type': 'application/json',
    'Cache-Control': 'no-store',
    'Retry-After': `${retryAfter}`,
  };
}

/**
 * The longest wait in milliseconds that all clients obey. Those of OpenAI and Anthropic read `retry-after-ms` before
 * `Retry-After`. Which wait they obey depends on the language and the release: any (@anthropic-ai/sdk 1), up to a
 * minute (openai 7, the clients for Python), or less (openai 6 and @anthropic-ai/sdk 0 until early 2026, and Vercel's
 * AI SDK). They ignore a longer one, and retry after half a second at first.
 */
const MAX_RETRY_AFTER_MS = 59_999;

/** Creates the refusal of an endpoint whose clients are those of OpenAI or Anthropic. */
export function apiRefusal(rejection: Rejection, status: number, body: object): Refusal {
  const milliseconds = Math.min(1_000 * rejection.retryAfter, MAX_RETRY_AFTER_MS);
  const headers = {
    ...refusalHeaders(rejection),
    'retry-after-ms': `${milliseconds}`,
    // Without it, these clients decide by the status. They retry after 429 and from 500 on, other clients may not.
    'x-should-retry': 'true',
  };
  return { status, headers, body: JSON.stringify(body) };
}

/**
 * The status of a refusal. A shutdown is not the client's fault, and not an overload either, so it is always 503.
 *
 * @throws HeadgateError for an unknown option, and for a status that is not allowed.
 */
export function statusOf<Status extends number>(
  owner: string,
  { reason }: Rejection,
  options: { readonly status?: Status | undefined },
  allowed: readonly [standard: Status, other: Status],
): Status | 503 {
  checkNames(owner, options, ['status']);
  const { status = allowed[0] } = options;
  if (!allowed.includes(status)) throw invalid('status', allowed.join(' or '), status);
  return reason === 'closed' ? 503 : status;
}
