import type { LimitFactory, Sample } from '@headgate/core';

/** A constant limit that records its samples. */
export function recordingLimit(): { readonly samples: Sample[]; readonly limit: LimitFactory } {
  const samples: Sample[] = [];
  const create = () => ({ limit: 2, sample: (sample: Sample) => void samples.push(sample) });
  return { samples, limit: { create } };
}
