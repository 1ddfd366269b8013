import { type Call, SECONDS } from './calls.ts';

/** Counts what happens within the simulated time. */
export class Recorder {
  /** Calls answered in time, for each second. */
  readonly perSecond = new Array<number>(SECONDS).fill(0);
  /** The calls that were answered in time. */
  readonly inTime = new Set<Call>();
  /** Milliseconds until the answer, also if the client had given up. */
  readonly latencies: number[] = [];
  /** Milliseconds until the rejection. */
  readonly rejections: number[] = [];
  requests = 0;
  timeouts = 0;

  constructor(private readonly now: () => number) {}

  answeredInTime(call: Call): void {
    const second = Math.floor(this.now() / 1000);
    // The last iteration of the event loop may end after the simulated time.
    if (second >= SECONDS) return;
    this.perSecond[second] = (this.perSecond[second] as number) + 1;
    this.inTime.add(call);
  }
}
