import TinyQueue from 'tinyqueue';
import type { Simulation } from './simulation.ts';

interface Job {
  /** How much progress the dependency has made when the job is done. */
  readonly end: number;
  readonly done: () => void;
}

/**
 * Something that work needs: a database, a pool of threads. Up to its capacity, jobs do not disturb each other; beyond,
 * they share it evenly, so that all take longer and no more get done.
 */
export class Dependency {
  readonly #jobs = new TinyQueue<Job>([], (one, other) => one.end - other.end);
  #progress = 0;
  #at = 0;
  #timer: unknown;
  /** How many times longer everything takes, for no reason of the load's. */
  #slowness = 1;

  constructor(
    private readonly simulation: Simulation,
    private capacity: number,
  ) {}

  /** Does so many milliseconds' work, then calls back. */
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
    // What rounding has left over.
    this.#progress = Math.max(this.#progress, end);
    this.#arm();
    done();
  }
}
