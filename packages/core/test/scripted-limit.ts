import type { LimitFactory, Sample } from '../src/index.ts';

/** An adaptive limit that the test sets, and that records its samples. */
export class ScriptedLimit implements LimitFactory {
  readonly samples: Sample[] = [];
  /** The weight that was stuck, at each stall. */
  readonly stalls: number[] = [];

  constructor(public limit: number) {}

  create() {
    const own = this;
    return {
      get limit() {
        return own.limit;
      },
      sample: (sample: Sample) => void own.samples.push(sample),
      stalled: (_now: number, stuck: number) => void own.stalls.push(stuck),
    };
  }
}
