import type { LimitFactory, Sample } from '../src/index.ts';

/** An adaptive limit that the test sets, and that records its samples. */
export class ScriptedLimit implements LimitFactory {
  readonly samples: Sample[] = [];
  stalls = 0;

  constructor(public limit: number) {}

  create() {
    const own = this;
    return {
      get limit() {
        return own.limit;
      },
      sample: (sample: Sample) => void own.samples.push(sample),
      stalled: () => void own.stalls++,
    };
  }
}
