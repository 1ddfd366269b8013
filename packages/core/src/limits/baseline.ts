/** Samples beyond which a baseline becomes no slower to move. */
const memory = 200;

/** Kinds that have a baseline of their own; what comes later shares one. */
const mostKinds = 64;

/** How long one kind of work takes where nothing stands in its way. */
class Baseline {
  /** Milliseconds. */
  rtt = 0;
  #samples = 0;
  #windowSum = 0;
  #windowSamples = 0;

  /** A round trip over the baseline; undefined while there is none. */
  note(rtt: number): number | undefined {
    this.#windowSum += rtt;
    this.#windowSamples++;
    return this.#samples === 0 || this.rtt === 0 ? undefined : rtt / this.rtt;
  }

  /** Takes in what the window has shown. It rises only where that cannot be the load's doing. */
  learn(mayRise: boolean): void {
    const samples = this.#windowSamples;
    if (samples === 0) return;
    const mean = this.#windowSum / samples;
    this.#windowSum = 0;
    this.#windowSamples = 0;
    if (mean > this.rtt && this.#samples > 0 && !mayRise) return;
    this.#samples = Math.min(this.#samples + samples, memory);
    this.rtt += ((mean - this.rtt) * samples) / this.#samples;
  }
}

/** The baselines of all kinds of work: some take a thousand times as long as others, and their mix changes. */
export class Baselines {
  readonly #kinds = new Map<string | undefined, Baseline>();

  note(kind: string | undefined, rtt: number): number | undefined {
    return this.#of(kind).note(rtt);
  }

  learn(mayRise: boolean): void {
    for (const baseline of this.#kinds.values()) baseline.learn(mayRise);
  }

  #of(kind: string | undefined): Baseline {
    const known = this.#kinds.get(kind);
    if (known !== undefined) return known;
    if (this.#kinds.size > mostKinds && kind !== undefined) return this.#of(undefined);
    const baseline = new Baseline();
    this.#kinds.set(kind, baseline);
    return baseline;
  }
}
