import type { AdmittedRequest } from '../semaphore/admitted-request.ts';
import { checkInner, Order, type Queue, type QueueContext } from '../semaphore/queue.ts';
import type { Waiter } from '../semaphore/waiter.ts';
import { fifo } from './fifo.ts';
import { shuffleShard } from './shuffle-shard.ts';
import { Subqueues } from './subqueues.ts';

/**
 * Fair queueing: flows (the requests with the same `fairBy`) are served in turn. Within a flow, the given order
 * applies. Turns are weighted: heavier requests get fewer. `permit.adjust()` corrects the charge of its flow, also after
 * the release. A flow that had no waiters may be ahead of the others by the limit, once, so that the second of two
 * requests does not wait for the end of a request of a flood. In a full queue, a new request displaces the youngest
 * waiter of the subqueue with the most weight (rejected as `full`), unless its own subqueue would then be as heavy.
 *
 * There are at most 128 subqueues, however many flows clients make up. Each flow is assigned six at random, and uses
 * one of them when its first request is queued: that in which it is in debt, or else that with the least queued weight
 * and debt. So two flows rarely share a subqueue, and clients cannot predict which ones do.
 *
 * Start-time fair queueing (Goyal, Vin and Cheng, 1996), with corrected charges as in VTC (Sheng et al., 2024) and the
 * shuffle sharding of Kubernetes' API Priority and Fairness. In Kubernetes, a flow uses all six of its subqueues at
 * once, and so gets six times the turns of a flow with a single request.
 *
 * @param order The order within a subqueue. Default: `fifo()`.
 * @throws HeadgateError for a value that is not an order, or for `byShare()`.
 */
export function fair(order: Order = fifo()): Order {
  const ignores = checkInner(order).ignores.filter((option) => option !== 'fairBy');
  return new Order((context) => new FairQueue(order, context), ignores);
}

/** A subqueue. All flows in it share its turns. */
interface ChargedSubqueue {
  readonly queue: Queue;
  readonly number: number;
  /** Virtual time at which its next waiter is due. */
  due: number;
  /** The flow that was charged last. */
  debtor?: string;
}

/** A flow with queued requests: the subqueue that it uses, and its number of waiters there. */
interface Flow {
  readonly subqueue: ChargedSubqueue;
  waiting: number;
}

class FairQueue extends Subqueues {
  protected readonly subqueues: Queue[] = [];
  /** The subqueues used since the queue was last empty, by number. */
  readonly #used = new Map<number, ChargedSubqueue>();
  /** Flows with waiters. */
  readonly #flows = new Map<string, Flow>();
  /** What each admitted request was charged since the queue was last empty. */
  #charges = new WeakMap<AdmittedRequest, number>();
  /** Virtual time, in units of weight: when the last granted waiter was due. */
  #now = 0;
  /** Secret, so that clients cannot compute which flows collide. */
  readonly #seed: number;

  constructor(
    private readonly order: Order,
    private readonly context: QueueContext,
  ) {
    super();
    this.#seed = Math.floor((context.clock.random?.() ?? Math.random()) * 2 ** 32);
  }

  get next(): Waiter | undefined {
    let first: ChargedSubqueue | undefined;
    for (const subqueue of this.#used.values()) {
      const { queue, due } = subqueue;
      if (queue.length > 0 && due < (first?.due ?? Infinity)) first = subqueue;
    }
    return first?.queue.next;
  }

  override insert(waiter: Waiter): void {
    const name = nameOf(waiter);
    const subqueue = this.#charged(waiter);
    const flow = this.#flows.get(name) ?? { subqueue, waiting: 0 };
    flow.waiting++;
    this.#flows.set(name, flow);
    this.#use(subqueue);
    if (subqueue.queue.length === 0) subqueue.due = Math.max(subqueue.due, this.#earliestDue);
    super.insert(waiter);
  }

  override remove(waiter: Waiter, isGranted: boolean): void {
    const name = nameOf(waiter);
    const flow = this.#flows.get(name) as Flow;
    super.remove(waiter, isGranted);
    if (--flow.waiting === 0) this.#flows.delete(name);
    if (isGranted) this.#now = flow.subqueue.due;
    // Charges are only needed while other waiters are queued.
    if (this.length > 0) return;
    this.#used.clear();
    this.#charges = new WeakMap();
    this.subqueues.length = 0;
    this.#now = 0;
  }

  /**
   * Charges the flow, whether it has waiters or not. A correction returns at most what the request was charged: nothing
   * if it was admitted at once.
   */
  override charge(admitted: AdmittedRequest, weight: number): void {
    if (this.length === 0) return;
    const subqueue = this.#charged(admitted);
    const before = this.#charges.get(admitted) ?? 0;
    const charge = before + weight;
    this.#charges.set(admitted, charge);
    this.#use(subqueue);
    subqueue.debtor = nameOf(admitted);
    subqueue.due += Math.max(0, charge) - Math.max(0, before);
    super.charge(admitted, weight);
  }

  protected subqueueOf(request: AdmittedRequest): Queue {
    return this.#charged(request).queue;
  }

  /** When the next waiter of a flow that had none is due: a limit of weight before the others. */
  get #earliestDue(): number {
    return this.#now - this.context.limit;
  }

  #use(subqueue: ChargedSubqueue): void {
    if (this.#used.has(subqueue.number)) return;
    this.#used.set(subqueue.number, subqueue);
    this.subqueues.push(subqueue.queue);
  }

  /** The subqueue in which the requests of this flow are queued, or would be. */
  #charged(request: AdmittedRequest): ChargedSubqueue {
    const name = nameOf(request);
    const flow = this.#flows.get(name);
    if (flow !== undefined) return flow.subqueue;
    let number = 0;
    let minEnd = Infinity;
    for (const candidate of shuffleShard(name, this.#seed)) {
      const used = this.#used.get(candidate);
      const due = Math.max(used?.due ?? 0, this.#now);
      // A flow keeps its own debt, and avoids those of other flows.
      if (used?.debtor === name && due > this.#now) return used;
      const end = due + (used?.queue.weight ?? 0);
      if (end >= minEnd) continue;
      minEnd = end;
      number = candidate;
    }
    return (
      this.#used.get(number) ?? {
        number,
        queue: this.order.create(this.context),
        due: this.#earliestDue,
      }
    );
  }

  /** The heaviest subqueue, so that the heaviest flows lose waiters first. */
  protected get displaceFrom(): Queue | undefined {
    let heaviest: Queue | undefined;
    for (const { queue } of this.#used.values()) {
      if (queue.weight > (heaviest?.weight ?? 0)) heaviest = queue;
    }
    return heaviest;
  }

  protected displaces({ weight }: Waiter, own: Queue, heaviest: Queue): boolean {
    return own.weight + weight < heaviest.weight;
  }
}

/** Requests without a `fairBy` form one flow. */
function nameOf({ fairBy = '' }: AdmittedRequest): string {
  return fairBy;
}
