import type { Limit, Sample } from '../src/index.ts';

/** Feeds samples to a limit, which is fully used unless the sample says otherwise. */
export function feed(limit: Limit, samples: Partial<Sample>[]): number {
  for (const sample of samples) {
    const inflight = limit.limit;
    limit.sample({ rtt: 100, inflight, outcome: 'ok', now: 0, kind: undefined, ...sample });
  }
  return limit.limit;
}

export const times = (count: number, sample: Partial<Sample> = {}) =>
  Array<Partial<Sample>>(count).fill(sample);
