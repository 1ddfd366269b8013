import { invalid } from '../errors.ts';
import type { Limiter } from './limiter.ts';

/** What a caller wants of a limit. */
interface Request {
  readonly weight: number;
  readonly share?: string | undefined;
}

/**
 * @param limit The caller's own, where its key has one.
 * @throws HeadgateError for a weight that could never be granted, and a share that the limit is not divided into.
 */
export function checkRequest({ shareNames }: Limiter, { weight, share }: Request, limit: number) {
  if (!Number.isSafeInteger(weight) || weight < 1 || weight > limit) {
    const expected = `a whole number from 1 to the limit (${limit})`;
    throw invalid('weight', expected, weight, 'ERR_HEADGATE_WEIGHT');
  }
  if (share !== undefined && !shareNames.includes(share)) {
    const isWhole = shareNames.length === 0;
    const expected = isWhole
      ? 'left out, as the limit has no shares'
      : `one of ${shareNames.join(', ')}`;
    throw invalid('share', expected, share);
  }
}
