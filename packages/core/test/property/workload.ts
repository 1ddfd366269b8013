import { lcg } from '@headgate/test-kit/lcg';
import { VirtualClock } from '@headgate/test-suite';
import { createLimiter, type Order, type Permit, type Priority, Waiter } from '../../src/index.ts';

/** A kind of request in a workload. */
export interface Kind {
  readonly weight: number;
  /** Relative frequency. */
  readonly frequency: number;
  readonly share: string | undefined;
  readonly fairBy: string;
  readonly priority: Priority;
}

interface Job {
  readonly kind: Kind;
  readonly at: number;
  readonly hold: number;
}

/** Arrival time of the first requests. */
const start = 1000;

/** Mean hold time of a permit, in milliseconds. */
const meanHold = 25;

export interface Workload {
  readonly limit: number;
  readonly jobs: readonly Job[];
}

/** Parameters of a random workload. */
interface Mix {
  readonly limit: number;
  readonly kinds: readonly Kind[];
  /** Arriving weight divided by the limit's capacity; Infinity: all requests arrive at once. */
  readonly load: number;
  readonly seed: number;
}

/** Creates requests with random kinds and exponential times. */
export function workload({ limit, kinds, load, seed }: Mix, count: number): Workload {
  const random = lcg(seed);
  const exponential = (mean: number) => -Math.log(1 - random()) * mean;
  const frequencies = kinds.reduce((sum, { frequency }) => sum + frequency, 0);
  const weight = kinds.reduce((sum, one) => sum + one.weight * one.frequency, 0) / frequencies;
  const gap = (meanHold * weight) / limit / load;
  let at = start;
  const jobs = Array.from({ length: count }, () => {
    const kind = pick(kinds, random() * frequencies);
    at += exponential(gap);
    return { kind, at, hold: exponential(meanHold) };
  });
  return { limit, jobs };
}

/** Selects a kind by frequency. */
function pick(kinds: readonly Kind[], choice: number): Kind {
  let left = choice;
  for (const kind of kinds) {
    left -= kind.frequency;
    if (left < 0) return kind;
  }
  return kinds[0] as Kind;
}

interface Grant extends Omit<Job, 'kind'> {
  readonly weight: number;
}

class Request extends Waiter {
  constructor(
    private readonly job: Job,
    private readonly clock: VirtualClock,
    order: Order,
    private readonly grants: Grant[],
  ) {
    super();
    const { kind } = job;
    this.weight = kind.weight;
    this.fairBy = kind.fairBy;
    this.priority = kind.priority;
    if (order.shareNames !== undefined) this.share = kind.share;
  }

  granted(permit: Permit): void {
    const { hold } = this.job;
    this.grants.push({ at: this.clock.now(), weight: this.weight, hold });
    this.clock.setTimeout(() => permit.release(), hold);
  }

  rejected(): void {}
}

/** Simulates a workload, and returns its grants. */
export function grantsOf({ limit, jobs }: Workload, order: Order): readonly Grant[] {
  const clock = new VirtualClock({ random: lcg(3) });
  const queue = { queueLimit: Infinity, queueTimeout: Infinity };
  const limiter = createLimiter({ limit, order, ...queue, clock });
  const grants: Grant[] = [];
  for (const job of jobs) {
    clock.advance(job.at - clock.now());
    limiter.request(new Request(job, clock, order, grants));
  }
  while (clock.armed > 0) clock.advance(clock.due - clock.now());
  return grants;
}

/** Mean weight in flight until `end`. */
export function inflightUntil(end: number, grants: readonly Grant[]): number {
  let area = 0;
  for (const { at, hold, weight } of grants) area += weight * Math.max(0, Math.min(hold, end - at));
  return area / (end - start);
}
