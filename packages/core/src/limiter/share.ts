import { invalid } from '../errors.ts';
import type { Limiter } from './limiter.ts';

/** @throws HeadgateError for a share that the limit is not divided into. */
export function checkShare({ shares }: Limiter, share: string | undefined): void {
  if (share === undefined || shares.includes(share)) return;
  const names =
    shares.length === 0 ? 'left out, as the limit has no shares' : `one of ${shares.join(', ')}`;
  throw invalid('share', names, share);
}
