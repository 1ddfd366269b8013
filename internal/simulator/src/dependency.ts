import TinyQueue from 'tinyqueue';
import type { Simulation } from './simulation.ts';

interface Job {
  /** The dependency's progress at which the job is done. */
  readonly end: number;
  readonly done: () => void;
}

/**
 * A resource that work needs, such as a database or a thread pool. Up to its capacity, jobs do not slow each other
 * down; beyond it, they share it evenly, so that each takes longer and the throughput stays the same (processor
 * sharing).
 */
export class Dependency {
  readonly #jobs = new TinyQueue<Job>([], (one, other) => one.end - other.end);
  #progress = 0;
  #at = 0;
  #timer: unknown;
  /** A factor by which everything takes longer, whatever the load. */
  #slowness = 1;

  constructor(
    private readonly simulation: Simulation,
    private capacity: number,
  ) {}

  /** Number of jobs now. */
  get jobs(): number {
    return this.#jobs.length;
  }

  /** Does `work` milliseconds of work, then calls `done`. */
  serve(work: number, done: () => void): void {
    this.#catchUp();
    this.#jobs.push({ end: this.#progress + work, done });
    this.#arm();
  }

  change(capacity: number, slowness = this.#slowness): void {
    this.#catchUp();
    this.capacity = capacity;
    this.#slowness = slowness;
    this.#arm();
  }

  get #speed(): number {
    return Math.min(1, this.capacity / this.#jobs.length) / this.#slowness;
  }

  #catchUp(): void {
    const now = this.simulation.now();
    if (this.#jobs.length > 0) this.#progress += (now - this.#at) * this.#speed;
    this.#at = now;
  }

  #arm(): void {
    this.simulation.clearTimeout(this.#timer);
    const next = this.#jobs.peek();
    if (next === undefined) return;
    const delay = Math.max(0, next.end - this.#progress) / this.#speed;
    this.#timer = this.simulation.setTimeout(() => this.#finish(), delay);
  }

  #finish(): void {
    this.#catchUp();
    const { done, end } = this.#jobs.pop() as Job;
    // Corrects rounding errors.
    this.#progress = Math.max(this.#progress, end);
    this.#arm();
    done();
  }
}
