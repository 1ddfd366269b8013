import { type Call, SECONDS } from './calls.ts';

/** What a server did with a request. */
export interface RecordedRequest {
  answered(): void;
  rejected(): void;
  timedOut(): void;
}

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

  sent(): RecordedRequest {
    const start = this.now();
    this.requests++;
    return {
      answered: () => this.latencies.push(this.now() - start),
      rejected: () => this.rejections.push(this.now() - start),
      timedOut: () => this.timeouts++,
    };
  }

  answeredInTime(call: Call): void {
    const second = Math.floor(this.now() / 1000);
    // The last iteration of the event loop may end after the simulated time.
    if (second >= SECONDS) return;
    this.perSecond[second] = (this.perSecond[second] as number) + 1;
    this.inTime.add(call);
  }
}
