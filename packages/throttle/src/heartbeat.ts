import { longestTimer } from '@headgate/core/shared';

/** After so much of a lease it is renewed: twice more where that fails. */
const renewalPart = 1 / 3;
/** After so much it is tried again where it has failed. */
const retryPart = 1 / 12;
/** For so much it is certain, from when it was asked for: the rest is for timers that are late. */
const certainPart = 0.9;

export interface HeartbeatOptions {
  /** Milliseconds. */
  readonly lease: number;
  /** Prolongs the lease, or does not; never rejects. */
  readonly beat: () => Promise<void>;
  /** Nobody can be sure of it any more. */
  readonly over: () => void;
}

/** Keeps a lease alive, and ends it in time where the service cannot be reached. Keeps no process alive. */
export class Heartbeat {
  readonly #options: HeartbeatOptions;
  #heard = -Infinity;
  #due = Infinity;
  #isBeating = false;
  #isRunning = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: HeartbeatOptions) {
    this.#options = options;
  }

  /** When the service lets go of it by itself, at the earliest. */
  get ends(): number {
    return this.#heard + this.#options.lease;
  }

  /** The service has prolonged it, with a request that was sent at this instant. */
  hear(sent: number): void {
    this.#heard = Math.max(this.#heard, sent);
    this.#due = this.#heard + this.#options.lease * renewalPart;
    if (this.#isRunning) this.#wake();
  }

  start(): void {
    this.#isRunning = true;
    this.#wake();
  }

  stop(): void {
    this.#isRunning = false;
    clearTimeout(this.#timer);
  }

  #wake(): void {
    clearTimeout(this.#timer);
    const next = Math.min(this.#isBeating ? Infinity : this.#due, this.#certainUntil);
    const delay = Math.min(Math.max(next - performance.now(), 0), longestTimer);
    this.#timer = setTimeout(() => this.#tend(), delay);
    this.#timer.unref();
  }

  get #certainUntil(): number {
    return this.#heard + this.#options.lease * certainPart;
  }

  #tend(): void {
    const now = performance.now();
    if (now >= this.#certainUntil) {
      this.stop();
      this.#options.over();
    } else {
      if (now >= this.#due && !this.#isBeating) void this.#beat();
      this.#wake();
    }
  }

  async #beat(): Promise<void> {
    const { lease, beat } = this.#options;
    this.#isBeating = true;
    this.#due = performance.now() + lease * retryPart;
    await beat();
    this.#isBeating = false;
    if (this.#isRunning) this.#wake();
  }
}
