import type { Permit, Rejection } from '@headgate/core';
import { arrive } from '../arrivals.ts';
import { CallbackWaiter } from '../callback-waiter.ts';
import { exponential } from '../distributions.ts';
import { type Figure, figure, type Scenario } from '../scenario.ts';
import { Simulation } from '../simulation.ts';
import { Counter, meanBetween, watch } from '../watch.ts';

interface Situation {
  readonly name: string;
  readonly limit: number;
  /** Mean duration in milliseconds. */
  readonly duration: number;
  readonly queueLimit?: number;
  /** New requests as a multiple of the capacity, by the seconds since the start. */
  readonly load: (second: number) => number;
  /** Seconds during which no work finishes. */
  readonly hang?: readonly [from: number, to: number];
  /** From this second on, the unused capacity counts, until all rejected clients have been served. */
  readonly recoversAt?: number;
  /** The maximum of each figure. */
  readonly max: readonly [median: number, rejections: number, returns: number, unused?: number];
}

const fast = { limit: 100, duration: 50 };
const spike = (second: number) => (second < 10 ? 3 : 0.5);

const situations: readonly Situation[] = [
  { name: '1.05 × the capacity', ...fast, load: () => 1.05, max: [3, 2.5, 2] },
  { name: '1.5 × the capacity', ...fast, load: () => 1.5, max: [30, 2.5, 2] },
  { name: '3 × the capacity', ...fast, load: () => 3, max: [60, 2.5, 4] },
  {
    name: '10 × the capacity, 10 × 50 ms',
    limit: 10,
    duration: 50,
    load: () => 10,
    max: [60, 2.5, 11],
  },
  {
    ...{ name: '0.9 × the capacity, 10 × 50 ms, `queueLimit: 0`', limit: 10, duration: 50 },
    ...{ queueLimit: 0, load: () => 0.9, max: [3, 3, 2] },
  },
  {
    ...{ name: '3 × for 10 s, then 0.5 ×', ...fast, load: spike },
    ...{ recoversAt: 12, max: [20, 2.5, 4, 10] },
  },
  {
    ...{ name: 'the same, 10 × 50 ms', limit: 10, duration: 50, load: spike },
    ...{ recoversAt: 12, max: [20, 2.5, 4, 10] },
  },
  {
    ...{ name: 'the same, 4 × 200 ms', limit: 4, duration: 200, load: spike },
    ...{ recoversAt: 12, max: [20, 2.5, 4, 10] },
  },
  {
    ...{ name: '0.5 ×, nothing finishes for 30 s', ...fast, queueLimit: 100, load: () => 0.5 },
    ...{ hang: [20, 50], recoversAt: 50, max: [30, 3, 2, 20] },
  },
];

export const scenario: Scenario = {
  id: 'retry-after',
  name: 'Clients that obey `Retry-After` until they are served',
  run: () => ({ figures: situations.flatMap(figuresOf) }),
};

function figuresOf(situation: Situation): Figure[] {
  const { name, recoversAt, max } = situation;
  const clients = new ObedientClients(situation);
  clients.run();
  const figures = [
    figure(name, clients.median, [1, max[0]], 'median, s'),
    figure(name, clients.rejectionsOfEach, [1, max[1]], 'rejections of each rejected client'),
    figure(name, clients.busiestSecond, [0, max[2]], 'returns in the busiest second ÷ capacity'),
  ];
  if (recoversAt === undefined) return figures;
  return [...figures, figure(name, clients.unused, [0, max[3] ?? 0], '% unused afterwards')];
}

/** New clients without end. Those that are rejected return after `Retry-After` until they are served. */
class ObedientClients {
  readonly #simulation = new Simulation();
  readonly #limiter;
  readonly #returns = new Counter(this.#simulation, 1000);
  readonly #inflight;
  readonly #retryAfters: number[] = [];
  /** Rejected clients. */
  #rejected = 0;
  /** Rejected clients that have been served. */
  #served = 0;

  constructor(private readonly situation: Situation) {
    const { limit, queueLimit = 1000 } = situation;
    this.#limiter = this.#simulation.limiter({ limit, queueLimit });
    this.#inflight = watch(this.#simulation, 10, () => this.#limiter.inflight);
    const rate = (now: number) => situation.load(now / 1000) * this.#capacity;
    arrive(this.#simulation, rate, () => this.#ask(0));
  }

  /** Runs for a minute, or until all rejected clients have been served after the recovery. */
  run(): void {
    const simulation = this.#simulation;
    const { recoversAt = 60 } = this.situation;
    simulation.runUntil(recoversAt * 1000);
    if (this.situation.recoversAt === undefined) return;
    while (this.#served < this.#rejected) simulation.runUntil(simulation.now() + 1000);
  }

  /** The median `Retry-After` in seconds. */
  get median(): number {
    const sorted = this.#retryAfters.sort((one, other) => one - other);
    return sorted[sorted.length >> 1] ?? 0;
  }

  get rejectionsOfEach(): number {
    return this.#retryAfters.length / this.#rejected;
  }

  get busiestSecond(): number {
    const counts = this.#returns.perSecond.map(([, count]) => count);
    return Math.max(...counts) / this.#capacity;
  }

  /** The part of the capacity in percent that was not used after the recovery. */
  get unused(): number {
    const { limit, recoversAt = 0 } = this.situation;
    return 100 * (1 - meanBetween(this.#inflight, recoversAt, Infinity) / limit);
  }

  /** Requests per second. */
  get #capacity(): number {
    const { limit, duration } = this.situation;
    return (1000 * limit) / duration;
  }

  #ask(rejections: number): void {
    const granted = (permit: Permit) => {
      if (rejections > 0) this.#served++;
      this.#simulation.setTimeout(() => permit.release(), this.#duration());
    };
    const rejected = ({ retryAfter }: Rejection) => {
      if (rejections === 0) this.#rejected++;
      this.#retryAfters.push(retryAfter);
      this.#simulation.setTimeout(() => {
        this.#returns.count++;
        this.#ask(rejections + 1);
      }, retryAfter * 1000);
    };
    new CallbackWaiter(granted, rejected).requestFrom(this.#limiter);
  }

  #duration(): number {
    const { duration, hang: [from, to] = [0, 0] } = this.situation;
    const second = this.#simulation.now() / 1000;
    const time = exponential(duration)(this.#simulation.random);
    const hangs = second < to && second + time / 1000 > from;
    return hangs ? time + 1000 * (to - Math.max(second, from)) : time;
  }
}
