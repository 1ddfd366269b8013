import type { LimitFactory, Sample } from '../src/index.ts';

/** An adaptive limit that the test sets, and that records its samples. */
export class ScriptedLimit implements LimitFactory {
  readonly samples: Sample[] = [];
  /** The weight that was stuck, at each stall. */
  readonly stalls: number[] = [];

  /** Called with each sample. */
  onSample = () => {};

  constructor(public limit: number) {}

  create() {
    const own = this;
    return {
      get limit() {
        return own.limit;
      },
      sample: (sample: Sample) => {
        own.samples.push(sample);
        own.onSample();
      },
      stalled: (_now: number, stuck: number) => void own.stalls.push(stuck),
    };
  }
}
