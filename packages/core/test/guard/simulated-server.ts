import { lcg } from '@headgate/test-kit/lcg';
import type { Priority } from '../../src/index.ts';
import { AcceptQueue } from '../../src/node/accept-queue.ts';
import type { MeasuredLoop } from '../../src/node/event-loop.ts';
import { EventLoopGuard } from '../../src/node/event-loop-guard.ts';

/** The work of a server, and how clients connect to it. */
export interface Scene {
  readonly maxDelay?: number;
  /** Milliseconds of work per request. */
  readonly work: number;
  /** Milliseconds that the handler awaits before its work; undefined: the work is done immediately. */
  readonly wait?: number | undefined;
  /** Milliseconds to read a request and to reject one. */
  readonly price?: number;
  /** Whether each request opens a new connection. Default: existing connections are used. */
  readonly connects?: boolean;
}

interface Arrival {
  readonly at: number;
  readonly priority: Priority;
}

/** The result of a request; times in milliseconds. */
export interface Answer extends Arrival {
  readonly admitted: boolean;
  readonly took: number;
}

interface Task {
  readonly due: number;
  run(): void;
}

/**
 * An event loop in virtual time that works like libuv's: an iteration accepts one connection, reads all requests that
 * have arrived by its beginning, and then runs the timers that are due. The guard is the real one.
 */
export class SimulatedServer implements MeasuredLoop {
  readonly guard: EventLoopGuard;
  readonly answers: Answer[] = [];
  #now = 0;
  #turns = 0;
  #idle = 0;
  #accepted: () => void = () => {};
  #arrivals: Arrival[] = [];
  #backlog: Arrival[] = [];
  #readable: Arrival[] = [];
  #tasks: Task[] = [];
  readonly #random = lcg(1);

  constructor(private readonly scene: Scene) {
    const { maxDelay = 50 } = scene;
    const acceptQueue = new AcceptQueue(this);
    this.guard = new EventLoopGuard({ name: 'loop', maxDelay, loop: this, acceptQueue });
  }

  now(): number {
    return this.#now;
  }

  iterations(): number {
    return this.#turns;
  }

  idle(): number {
    return this.#idle;
  }

  onAccept(accepted: () => void): void {
    this.#accepted = accepted;
  }

  /** Adds Poisson arrivals at this rate per second, over this span. */
  load(perSecond: number, from: number, until: number, priority: Priority = 'normal'): void {
    for (let at = from + this.#gap(perSecond); at < until; at += this.#gap(perSecond)) {
      this.#arrivals.push({ at, priority });
    }
    this.#arrivals.sort((one, other) => one.at - other.at);
  }

  /** Adds work that does not come from requests. */
  burden(work: number, every: number, until: number): void {
    const next = (due: number) => {
      const run = () => {
        this.#spend(work);
        if (this.#now < until) next(due + every);
      };
      this.#tasks.push({ due, run });
    };
    next(this.#now + every);
  }

  /** Runs until all work is done. */
  run(): void {
    while (this.#wait()) this.#turn();
  }

  /** Advances to the next event; false if there is none. */
  #wait(): boolean {
    this.#arrive();
    if (this.#backlog.length > 0 || this.#readable.length > 0) return true;
    const next = Math.min(this.#arrivals[0]?.at ?? Infinity, ...this.#tasks.map(({ due }) => due));
    if (next === Infinity) return false;
    const idle = Math.max(0, next - this.#now);
    this.#idle += idle;
    this.#now += idle;
    this.#arrive();
    return true;
  }

  #arrive(): void {
    const came = this.#arrivals.findIndex(({ at }) => at > this.#now);
    const arrived = this.#arrivals.splice(0, came < 0 ? this.#arrivals.length : came);
    (this.scene.connects === true ? this.#backlog : this.#readable).push(...arrived);
  }

  #turn(): void {
    this.#turns++;
    const readable = this.#readable.splice(0);
    const connection = this.#backlog.shift();
    if (connection !== undefined) {
      this.#spend(0.05);
      this.#accepted();
      this.#readable.push(connection);
    }
    for (const request of readable) this.#read(request);
    const due = this.#tasks.filter((task) => task.due <= this.#now);
    this.#tasks = this.#tasks.filter((task) => task.due > this.#now);
    for (const task of due.sort((one, other) => one.due - other.due)) task.run();
  }

  #read(request: Arrival): void {
    const { work, wait, price = 0.2 } = this.scene;
    this.#spend(price);
    if (!this.guard.admits(request.priority)) return this.#answer(request, false);
    const run = () => {
      this.#spend(work);
      this.#answer(request, true);
    };
    if (wait === undefined) run();
    else this.#tasks.push({ due: this.#now + wait, run });
  }

  #answer({ at, priority }: Arrival, admitted: boolean): void {
    this.answers.push({ at, priority, admitted, took: this.#now - at });
  }

  #spend(milliseconds: number): void {
    this.#now += milliseconds;
  }

  #gap(perSecond: number): number {
    return (-1000 / perSecond) * Math.log(1 - this.#random());
  }
}
