import type { Limiter } from '@headgate/core';

/**
 * Reports to the limiter in front of a provider that the provider has refused a request: by 429 or 529, or by 503 with
 * a time to retry. The limiter pauses once the provider refuses at least half of the requests. An exhausted quota
 * (`insufficient_quota`) is no refusal, since waiting does not restore it.
 *
 * @param response The provider's response.
 * @param body The text of its body, which tells an exhausted quota from a refusal.
 * @param key The key of the request, if the limiter is keyed: the model, say.
 */
export function reportRefusal(
  limiter: Pick<Limiter, 'refused'>,
  { status, headers }: Pick<Response, 'status' | 'headers'>,
  body: string,
  key?: string,
): void {
  const retryAfter = Number(headers.get('retry-after-ms')) || headers.get('retry-after');
  const isBusy = status === 503 && retryAfter !== null;
  if (status !== 429 && status !== 529 && !isBusy) return;
  if (!/"insufficient_quota"/.test(body)) limiter.refused(retryAfter, key);
}
