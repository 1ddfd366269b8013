import { lcg } from '@headgate/test-kit/lcg';
import { VirtualClock } from '@headgate/test-suite';
import {
  createLimiter,
  type LimiterOptions,
  type Permit,
  type Priority,
  type Rejection,
  Waiter,
} from '../src/index.ts';

/** A client that leaves after some time: the queue, if it is queued, and otherwise its answer comes too late. */
export class Client extends Waiter {
  state: 'waits' | 'runs' | 'rejected' | 'left' | 'answered' | 'too late' = 'waits';
  waited = 0;
  reason: Rejection['reason'] | undefined;
  hasLeft = false;

  constructor(private readonly work: (permit: Permit) => void) {
    super();
  }

  granted(permit: Permit): void {
    this.state = 'runs';
    this.waited = permit.waited;
    this.work(permit);
  }

  rejected({ reason, waited }: Rejection): void {
    this.state = 'rejected';
    this.reason = reason;
    this.waited = waited;
  }

  override gone(): boolean {
    return this.hasLeft;
  }
}

export interface Load {
  readonly limit: number;
  /** Duration of the work in milliseconds. */
  readonly work: number;
  /** The arrivals, as a multiple of the capacity. */
  readonly load: number;
  /** Milliseconds after which a client leaves. */
  readonly timeout: number;
  readonly seconds?: number;
  readonly options?: Partial<LimiterOptions>;
  /** Sets what the client asks for. */
  readonly prepare?: (client: Client, random: number) => void;
}

/** Clients arrive at random, and leave after their timeout. */
export function impatient({ limit, work, load, timeout, seconds = 60, options, prepare }: Load) {
  const clock = new VirtualClock({ random: lcg(5) });
  const limiter = createLimiter({ limit, clock, ...options });
  const random = lcg(11);
  const clients: Client[] = [];
  const end = clock.now() + seconds * 1000;
  function arrive(): void {
    const client = new Client((permit) => {
      clock.setTimeout(() => {
        client.state = client.hasLeft ? 'too late' : 'answered';
        permit.release();
      }, work);
    });
    prepare?.(client, random());
    clients.push(client);
    limiter.request(client);
    clock.setTimeout(() => {
      client.hasLeft = true;
      if (client.state !== 'waits') return;
      client.state = 'left';
      limiter.withdraw(client);
    }, timeout);
    const gap = (-work * Math.log(1 - random())) / (limit * load);
    if (clock.now() < end) clock.setTimeout(arrive, gap);
  }
  arrive();
  while (clock.armed > 0) clock.advance(1000);
  const count = (test: (client: Client) => boolean) => clients.filter(test).length;
  const answered = count(({ state }) => state === 'answered');
  const rejected = clients.filter(({ state }) => state === 'rejected');
  return {
    clients,
    rejected,
    /** The answers in time, as a fraction of the capacity. */
    answered: (answered * work) / (limit * seconds * 1000),
    /** The fraction of the clients without an answer in time that were rejected. */
    told: rejected.length / (clients.length - answered),
  };
}

export const priorityOf = (random: number): Priority =>
  random < 0.1 ? 'critical' : random < 0.7 ? 'normal' : 'low';
