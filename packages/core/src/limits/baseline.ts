import { Mean } from './mean.ts';

/** Samples beyond which a baseline becomes no slower to move. */
const memory = 1000;

/** Samples before which it is too much a matter of chance to be held on to. */
const enough = 30;

/** Kinds that have a baseline of their own; what comes later shares one. */
const mostKinds = 64;

/** How long one kind of work takes where nothing stands in its way. */
class Baseline {
  /** Milliseconds. */
  #rtt = 0;
  #samples = 0;
  #window = new Mean();

  /** A round trip over the baseline; undefined while there is none. */
  note(rtt: number): number | undefined {
    this.#window.add(rtt);
    return this.#rtt === 0 ? undefined : rtt / this.#rtt;
  }

  /** Takes in what the window has shown: all of it on a quiet day, and under load that work can be quicker. */
  learn(isQuiet: boolean): void {
    const { count, value, margin } = this.#window;
    this.#window = new Mean();
    const isOpen = isQuiet || this.#samples < enough;
    if (count === 0 || (!isOpen && value + 1.5 * margin >= this.#rtt)) return;
    this.#samples = Math.min(this.#samples + count, memory);
    this.#rtt += ((value - this.#rtt) * Math.min(count, memory)) / this.#samples;
  }
}

/** The baselines of all kinds of work: some take a thousand times as long as others, and their mix changes. */
export class Baselines {
  readonly #kinds = new Map<string | undefined, Baseline>();

  note(kind: string | undefined, rtt: number): number | undefined {
    return this.#of(kind).note(rtt);
  }

  learn(isQuiet: boolean): void {
    for (const baseline of this.#kinds.values()) baseline.learn(isQuiet);
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
