/** The duration of each part in milliseconds. */
export interface Plan {
  readonly warmUp: number;
  readonly measure: number;
  readonly calm: number;
  readonly spike: number;
  readonly after: number;
}

export interface Phase {
  readonly name: 'calm' | 'spike' | 'calm again';
  readonly from: number;
  readonly to: number;
  /** Requests per second. */
  readonly rate: number;
}

/** The time after which a client gives up, in milliseconds. */
export const clientTimeout = 1_000;

const calmShare = 0.25;
export const spikeFactor = 3;

// The spike leaves an unprotected server a backlog of (3 - 1) × 5 s = 10 s. At 75 % of its capacity, less than a second
// of it is left after 12 s, so `after` is long enough to show that.
export const fullPlan: Plan = {
  warmUp: 300,
  measure: 2_000,
  calm: 2_500,
  spike: 5_000,
  after: 14_500,
};
export const quickPlan: Plan = {
  warmUp: 200,
  measure: 1_000,
  calm: 1_000,
  spike: 3_000,
  after: 2_000,
};

export function phasesOf(plan: Plan, capacity: number): readonly [Phase, Phase, Phase] {
  const spikeAt = plan.calm;
  const calmAt = spikeAt + plan.spike;
  const calm = capacity * calmShare;
  return [
    { name: 'calm', from: 0, to: spikeAt, rate: calm },
    { name: 'spike', from: spikeAt, to: calmAt, rate: capacity * spikeFactor },
    { name: 'calm again', from: calmAt, to: calmAt + plan.after, rate: calm },
  ];
}
