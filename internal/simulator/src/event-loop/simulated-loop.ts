import type { Clock, EventLoop } from '@headgate/core';
import TinyQueue from 'tinyqueue';

/**
 * An event that happens at a certain time in milliseconds: a timer, a request, or the answer of a socket or a thread.
 */
export interface Incoming {
  readonly at: number;
  /** Undefined once the event is no longer awaited. */
  callback: (() => void) | undefined;
}

interface Scheduled extends Incoming {
  /** The order in which events that are due at the same time were scheduled. */
  readonly order: number;
}

const inOrder = (one: Scheduled, other: Scheduled) =>
  one.at === other.at ? one.order - other.order : one.at - other.at;

/** The first event that is still awaited. */
function first(queue: TinyQueue<Scheduled>): Scheduled | undefined {
  let next = queue.peek();
  while (next !== undefined && next.callback === undefined) {
    queue.pop();
    next = queue.peek();
  }
  return next;
}

/** Milliseconds to accept a connection. */
export const ACCEPT_COST = 0.05;

/** Maximum number of connections that wait to be accepted; Node's default. */
const MAX_BACKLOG = 511;

/** In a process that has just started, everything takes this many times as long. */
const COLD_FACTOR = 20;

/** Number of requests after which that factor has fallen by a factor of e. */
const COLD_REQUESTS = 300;

/**
 * An event loop in virtual time that works like Node's. Each iteration runs the timers that are due, including those
 * that become due meanwhile. Then it polls: it accepts one connection, and reads everything that has arrived. Then it
 * runs the callbacks of `setImmediate`.
 */
export class SimulatedLoop implements EventLoop, Clock {
  readonly isMeasured = true;
  readonly random = () => 0.5;
  #now = 0;
  #idle = 0;
  #accepted = 0;
  #read = 0;
  #order = 0;
  readonly #timers = new TinyQueue<Scheduled>([], inOrder);
  #immediates: (() => void)[] = [];
  /** Requests that have not arrived yet, in reverse order. */
  #coming: Incoming[] = [];
  #backlog: Incoming[] = [];
  readonly #answers = new TinyQueue<Scheduled>([], inOrder);
  #readable: Incoming[] = [];

  /**
   * @param connects Whether each request opens a new connection.
   * @param isCold Whether the process has just started.
   */
  constructor(
    private readonly connects = false,
    private readonly isCold = false,
  ) {}

  now(): number {
    return this.#now;
  }

  idle(): number {
    return this.#idle;
  }

  accepted(): number {
    return this.#accepted;
  }

  whenPolled(callback: () => void): void {
    this.#immediates.push(callback);
  }

  setTimeout(callback: () => void, delay: number): Incoming {
    return this.#schedule(this.#timers, callback, Math.max(1, delay));
  }

  clearTimeout(timer: unknown): void {
    if (timer !== undefined) (timer as Scheduled).callback = undefined;
  }

  /** Makes the answer of a socket or a thread, or the end of a connection, arrive after `delay` milliseconds. */
  receive(callback: () => void, delay: number): Incoming {
    return this.#schedule(this.#answers, callback, delay);
  }

  #schedule(queue: TinyQueue<Scheduled>, callback: () => void, delay: number): Incoming {
    const scheduled = { at: this.#now + delay, order: ++this.#order, callback };
    queue.push(scheduled);
    return scheduled;
  }

  /** Keeps the loop busy for some milliseconds. */
  spend(milliseconds: number): void {
    this.#now += milliseconds * this.#factor;
  }

  get #factor(): number {
    return this.isCold ? 1 + (COLD_FACTOR - 1) * Math.exp(-this.#read / COLD_REQUESTS) : 1;
  }

  /** Runs until all requests have been read and no work is left. */
  run(incoming: readonly Incoming[]): void {
    this.expect(incoming);
    this.runUntil(Infinity);
  }

  /** Sets the requests that will arrive, in the order of their times. */
  expect(incoming: readonly Incoming[]): void {
    this.#coming = [...incoming].reverse();
  }

  /** Runs until this time, or until all requests have been read and no work is left. The last iteration may end later. */
  runUntil(until: number): void {
    while (this.#now < until && this.#wait()) this.#iterate();
  }

  /** Advances to the next event; returns whether there is one. */
  #wait(): boolean {
    this.#arrive();
    const { length } = this.#immediates;
    if (length + this.#backlog.length + this.#readable.length > 0) return true;
    const next = Math.min(this.#nextArrival, first(this.#timers)?.at ?? Infinity);
    if (next === Infinity) return false;
    const idle = Math.max(0, next - this.#now);
    this.#idle += idle;
    this.#now += idle;
    this.#arrive();
    return true;
  }

  get #nextArrival(): number {
    return Math.min(this.#coming.at(-1)?.at ?? Infinity, first(this.#answers)?.at ?? Infinity);
  }

  /** Events arrive in order, as the operating system reports them. */
  #arrive(): void {
    while (this.#nextArrival <= this.#now) {
      if (first(this.#answers)?.at === this.#nextArrival)
        this.#readable.push(this.#answers.pop() as Incoming);
      else this.#arriveRequest(this.#coming.pop() as Incoming);
    }
  }

  #arriveRequest(request: Incoming): void {
    if (!this.connects) this.#readable.push(request);
    // The kernel drops connections beyond the backlog.
    else if (this.#backlog.length < MAX_BACKLOG) this.#backlog.push(request);
  }

  #iterate(): void {
    this.#runTimers();
    this.#arrive();
    const readable = this.#readable;
    this.#readable = [];
    const connection = this.#backlog.shift();
    if (connection !== undefined) {
      this.spend(ACCEPT_COST);
      this.#accepted++;
      readable.push(connection);
    }
    for (const incoming of readable) {
      this.#read++;
      incoming.callback?.();
    }
    const immediates = this.#immediates;
    this.#immediates = [];
    for (const callback of immediates) callback();
  }

  #runTimers(): void {
    for (;;) {
      const timer = this.#timers.peek();
      if (timer === undefined || timer.at > this.#now) return;
      this.#timers.pop();
      timer.callback?.();
    }
  }
}
