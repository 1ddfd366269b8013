import { createLimiter, type Limiter, type LimiterStats } from '@headgate/core';
import { checkText, invalid } from '@headgate/core/options';
import { Call } from './call.ts';
import { type Fetch, type Input, isRequest, originOf, withoutBody } from './fetch.ts';
import { checkOptions, type LimitFetchOptions } from './options.ts';
import { Origins } from './origins.ts';

/** A `fetch` with a limit for each origin. */
export interface LimitedFetch extends Fetch {
  /** The limiters of the origins that were called recently, by their keys. */
  readonly limiters: Readonly<Record<string, Limiter>>;
  /** Returns the statistics of each origin's limit. Its name is the key. */
  stats(): readonly LimiterStats[];
}

/**
 * Returns a `fetch` that limits the requests in flight to each origin. A request beyond the limit waits, or is rejected
 * with a `RejectedError`. A request counts until the body of its response has been read, was cancelled or collected as
 * garbage, or has failed.
 *
 * @throws HeadgateError for an invalid option, and for a `fetch` that is limited already.
 */
export function limitFetch(fetch: Fetch, options: LimitFetchOptions): LimitedFetch {
  if (typeof fetch !== 'function') throw invalid('fetch', 'a function', fetch);
  if ('limiters' in fetch) throw invalid('fetch', 'a function that is not limited already', fetch);
  const settings = checkOptions(options);
  // Checks the options of the limiters.
  const { limit, queueTimeout, clock, key } = settings;
  createLimiter({ limit, queueTimeout, clock });
  const origins = new Origins(settings);

  const limited: Fetch = async (input, init) => {
    // A Request as the second argument, as proxies pass it: its properties cannot be copied by a spread.
    if (init && isRequest(init as Input)) return limited(new Request(input, init));
    const name =
      key === undefined ? originOf(input) : checkText('key', key(withoutBody(input, init)));
    const origin = origins.enter(name);
    const leave = () => origins.leave(origin);
    let call: Call;
    try {
      call = new Call(fetch, settings, origin, input, init);
    } catch (error) {
      leave();
      throw error;
    }
    return call.send(leave);
  };
  return Object.defineProperties(limited, {
    limiters: {
      get: () => Object.fromEntries(origins.all.map((origin) => [origin.key, origin.limiter])),
    },
    stats: { value: () => origins.all.map(({ limiter }) => limiter.stats()) },
  }) as LimitedFetch;
}
