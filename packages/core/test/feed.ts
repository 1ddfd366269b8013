import type { Limit, Sample } from '../src/index.ts';

/** Feeds samples to a limit, which is fully used unless the sample says otherwise. */
export function feed(limit: Limit, samples: Partial<Sample>[]): number {
  for (const sample of samples) {
    const inflight = limit.limit;
    const usual = { rtt: 100, weight: 1, outcome: 'ok', now: 0, kind: undefined } as const;
    limit.sample({ ...usual, inflight, ...sample });
  }
  return limit.limit;
}

export const times = (count: number, sample: Partial<Sample> = {}) =>
  Array<Partial<Sample>>(count).fill(sample);
