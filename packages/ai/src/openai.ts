import type { Rejection } from '@headgate/core';
import { sentence } from '@headgate/core/http';
import { apiRefusal, type Refusal, statusOf } from './refusal.ts';

/**
 * The response to a rejected request in the form of OpenAI's API, which its clients and those of compatible servers
 * read as an error and retry after the time that the rejection names. It does not contain the name of the limit.
 *
 * @param options `status`: 503 (the server is overloaded) or 429 (the client uses too much). Default: 503. A rejection
 *   with the reason `closed` always has status 503.
 * @throws HeadgateError for an unknown option, and for another status.
 */
export function openaiError(
  rejection: Rejection,
  options: { readonly status?: 429 | 503 | undefined } = {},
): Refusal {
  const status = statusOf('openaiError', rejection, options, [503, 429]);
  const [type, code] =
    status === 429
      ? ['rate_limit_error', 'rate_limit_exceeded']
      : ['service_unavailable_error', 'server_is_overloaded'];
  const message = sentence(rejection, status);
  return apiRefusal(rejection, status, { error: { message, type, param: null, code } });
}
