import type { Clock } from '../clock.ts';
import { isControlled, type LimitFactory } from '../limits/limit.ts';
import { keyText } from '../semaphore/request.ts';
import { type Model, settingsOnClock } from '../shadow/simulation.ts';
import type { Enforcer } from '../shadow/variant.ts';
import type { AcquireOptions } from './acquire-options.ts';
import type { LimiterSettings } from './distributed-options.ts';
import type { Limiter } from './limiter.ts';

/**
 * The model that simulates a limiter in shadow mode.
 *
 * @param limit The limit that applies now, or the factory of an adaptive one.
 */
export function limiterModel(
  settings: LimiterSettings,
  limit: number | LimitFactory,
  make: (settings: LimiterSettings) => Limiter,
): Model<AcquireOptions> {
  const { name, perKey, queueLimit, isLimitPerRequest } = settings;
  const alone = (clock: Clock, other?: number): Enforcer<AcquireOptions> => {
    const own = { ...settings, ...settingsOnClock(queueLimit, clock), limit: other ?? limit };
    const limiter = make(own);
    return {
      request: (waiter, { key, limit: ofKey, weight = 1, share }) => {
        if (key !== undefined) waiter.key = keyText(key);
        if (share !== undefined) waiter.share = share;
        if (ofKey !== undefined && other === undefined) waiter.limit = ofKey;
        // Every limit is at least 1, so weight 1 fits.
        if (weight > 1) waiter.weight = Math.min(weight, waiter.limit ?? limiter.usage(key).limit);
        limiter.request(waiter);
      },
      get inflightPeak() {
        return limiter.stats().inflightPeak;
      },
    };
  };
  const isNumber = typeof limit === 'number' && !isLimitPerRequest;
  const only = {
    ...{ name, perKey, alone, limit: isNumber ? limit : undefined },
    weightOf: ({ weight = 1 }: AcquireOptions) => weight,
  };
  return { together: alone, limits: [only], isPresent: isControlled(limit) };
}
