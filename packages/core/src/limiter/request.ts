import { invalid } from '../errors.ts';
import type { Limiter } from './limiter.ts';

/**
 * @param limit The caller's own, where its key has one.
 * @throws HeadgateError for a weight that could never be granted, and a share that the limit is not divided into.
 */
export function checkRequest(
  limiter: Limiter,
  limit: number,
  weight: number,
  share: string | undefined,
): void {
  if (!Number.isSafeInteger(weight) || weight < 1 || weight > limit) {
    const expected = `a whole number from 1 to the limit (${limit})`;
    throw invalid('weight', expected, weight, 'ERR_HEADGATE_WEIGHT');
  }
  if (share !== undefined) checkShare(limiter, share);
}

function checkShare({ shareNames }: Limiter, share: string): void {
  if (shareNames.includes(share)) return;
  const isWhole = shareNames.length === 0;
  const names = shareNames.join(', ');
  throw invalid(
    'share',
    isWhole ? 'left out, as the limit has no shares' : `one of ${names}`,
    share,
  );
}
