/** The maximum of recent values. Older ones fade, so that a single high value has no lasting effect. */
export class FadingMaximum {
  #value = 0;
  #at = 0;

  /** @param timeConstant Milliseconds. */
  constructor(private readonly timeConstant: number) {}

  note(value: number, now: number): void {
    if (value < this.value(now)) return;
    this.#value = value;
    this.#at = now;
  }

  value(now: number): number {
    return this.#value * Math.exp(-(now - this.#at) / this.timeConstant);
  }
}
