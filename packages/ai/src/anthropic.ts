import type { Rejection } from '@headgate/core';
import { sentence } from '@headgate/core/http';
import { apiRefusal, type Refusal, statusOf } from './refusal.ts';

/**
 * The response to a rejected request in the form of Anthropic's API, which its clients read as an error and retry after
 * the time that the rejection names. It does not contain the name of the limit.
 *
 * @param options `status`: 529 (the server is overloaded) or 429 (the client uses too much). Default: 529. A rejection
 *   with the reason `closed` always has status 503.
 * @throws HeadgateError for an unknown option, and for another status.
 */
export function anthropicError(
  rejection: Rejection,
  options: { readonly status?: 429 | 529 | undefined } = {},
): Refusal {
  const status = statusOf('anthropicError', rejection, options, [529, 429]);
  const type = status === 429 ? 'rate_limit_error' : 'overloaded_error';
  const message = sentence(rejection, status);
  return apiRefusal(rejection, status, { type: 'error', error: { type, message } });
}
