import type {
  DistributedOptions,
  LimiterSettings,
  NameRequiredWithStore,
} from './distributed-options.ts';
import { InProcessLimiter } from './in-process-limiter.ts';
import type { Limiter, LocalLimiter } from './limiter.ts';
import { checkLimiter, type DistributedLimiterOptions, type LimiterOptions } from './options.ts';
import { checkCreation } from './per-request.ts';

/**
 * Creates a limiter for this process or, with a `store`, for all processes that use the store.
 *
 * @throws HeadgateError for an unknown option, a value that is not allowed, or an option that the store cannot honour.
 */
export function createLimiter(options: DistributedLimiterOptions): Limiter;
/**
 * Creates a limiter for this process.
 *
 * @throws HeadgateError for an unknown option or a value that is not allowed.
 */
export function createLimiter(options: LimiterOptions & { store?: undefined }): LocalLimiter;
/**
 * Creates a limiter for this process or, with a `store`, for all processes that use the store.
 *
 * @throws HeadgateError for an unknown option, a value that is not allowed, or an option that the store cannot honour.
 */
export function createLimiter(
  options: LimiterOptions & DistributedOptions & NameRequiredWithStore,
): Limiter;
export function createLimiter(options: LimiterOptions): Limiter {
  const limiter = makeLimiter(checkLimiter(options));
  checkCreation(limiter);
  return limiter;
}

export function makeLimiter(settings: LimiterSettings): Limiter {
  const { distribution } = settings;
  if (distribution === undefined) return new InProcessLimiter(settings);
  return distribution.store.limiter(settings);
}
