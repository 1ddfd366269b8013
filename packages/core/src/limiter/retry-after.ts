/** Seconds. */
const longestBackoff = 32;

/** Milliseconds of observation: short enough to follow a change, long enough to see a slow release. */
const stretch = 5000;

/**
 * When to come back, by what was rejected lately: doubles while many are, sinks while few are.
 * After Kubernetes' dropped-requests tracker (apiserver, flow control), evaluated at the first rejection of a second
 * over the seconds before it; a quiet spell starts it afresh.
 */
export class Backoff {
  #seconds = 1;
  #raisedAt = Number.NEGATIVE_INFINITY;
  #rejections: { second: number; count: number }[] = [];

  /** Counts a rejection in the given second; returns the seconds to wait. */
  rejected(second: number): number {
    const latest = this.#rejections.at(-1);
    if (latest?.second === second) {
      latest.count++;
      return this.#seconds;
    }
    if (latest !== undefined && second - latest.second > 2 * this.#seconds) {
      this.#seconds = 1;
      this.#rejections = [];
    }
    this.#adjust(second);
    this.#rejections.push({ second, count: 1 });
    return this.#seconds;
  }

  #adjust(second: number): void {
    const from = second - this.#seconds;
    this.#rejections = this.#rejections.filter((past) => past.second >= second - longestBackoff);
    let recent = 0;
    for (const past of this.#rejections) if (past.second >= from) recent += past.count;
    if (recent >= 3 * this.#seconds && second - this.#raisedAt >= this.#seconds) {
      this.#seconds = Math.min(2 * this.#seconds, longestBackoff);
      this.#raisedAt = second;
    } else if (recent < this.#seconds) this.#seconds = Math.max(1, this.#seconds - 1);
  }
}

interface Mark {
  at: number;
  /** Weight given back ever. */
  returned: number;
}

/**
 * When a place should be free, by Little's law: the weight ahead over the rate at which weight comes back.
 * The rate is observed over the last one or two stretches: a mean service time has no bound where event
 * streams are served.
 */
export class Outlook {
  #older: Mark | undefined;
  #newer: Mark = { at: Number.NEGATIVE_INFINITY, returned: 0 };

  /** Milliseconds until `weight` should have come back; 0 while that is unknown. */
  wait(now: number, weight: number, returned: number): number {
    const age = now - this.#newer.at;
    if (this.#older === undefined || age > 2 * stretch) {
      this.#newer = { at: now, returned };
      this.#older = this.#newer;
    } else if (age >= stretch) {
      this.#older = this.#newer;
      this.#newer = { at: now, returned };
    }
    const came = Math.max(1, returned - this.#older.returned);
    return (weight * (now - this.#older.at)) / came;
  }
}

/** The value of `Retry-After` for one limit, or for one key of it. */
export class RetryAfter {
  readonly #backoff = new Backoff();
  readonly #outlook = new Outlook();

  constructor(
    /** Seconds. */
    private readonly longest: number,
    private readonly random: () => number,
  ) {}

  /** Whole seconds: the larger of the two estimates, spread upwards so that not all come back at once. */
  seconds(now: number, weightAhead: number, returned: number): number {
    const backoff = this.#backoff.rejected(Math.floor(now / 1000));
    const outlook = Math.ceil(this.#outlook.wait(now, weightAhead, returned) / 1000);
    const base = Math.min(Math.max(backoff, outlook), Math.ceil(this.longest / 1.5));
    const spread = Math.min(Math.ceil(base / 2), this.longest - base);
    return base + Math.floor(this.random() * (spread + 1));
  }
}
