import { type Clock, startTimer } from '../clock.ts';

/** A pause of a limit, or of one key, and the timer that ends it. */
export class Pause {
  #until = 0;
  #cancel = () => {};

  constructor(
    private readonly clock: Clock,
    private readonly end: () => void,
  ) {}

  /** Milliseconds until it ends. */
  get left(): number {
    return Math.max(0, this.#until - this.clock.now());
  }

  /** A pause never becomes shorter. */
  extend(milliseconds: number): void {
    this.#until = Math.max(this.#until, this.clock.now() + milliseconds);
  }

  /** Sets the timer that ends the pause. It keeps the process alive only while requests are queued. */
  watch(isQueueEmpty: boolean): void {
    this.cancel();
    this.#cancel = startTimer(this.clock, this.left, this.end, isQueueEmpty);
  }

  cancel(): void {
    this.#cancel();
  }
}
