/**
 * The present turn of the event loop, as far as requests are concerned. Those that have come are parsed and handled one
 * after another: who is late in a long turn has waited for it, which no timer has been able to tell.
 */
export class Turn {
  #startedAt = 0;
  #isOn = false;
  readonly #over = () => {
    this.#isOn = false;
  };

  constructor(private readonly now: () => number = () => performance.now()) {}

  /** Milliseconds since the first request of this turn asked. */
  age(): number {
    const now = this.now();
    if (this.#isOn) return now - this.#startedAt;
    this.#isOn = true;
    this.#startedAt = now;
    // Comes when the loop has seen to all that it found.
    setImmediate(this.#over);
    return 0;
  }
}
