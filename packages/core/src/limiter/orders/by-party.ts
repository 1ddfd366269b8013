import { checkInner, type Line, type Order, type Site } from '../line.ts';
import { createLine } from '../safe-line.ts';
import type { Waiter } from '../waiter.ts';
import { fifo } from './fifo.ts';
import { deal } from './hand.ts';
import { Lanes } from './lanes.ts';

/**
 * Fair queueing: flows (the requests with the same `party`) are served in turn; within a flow, the given order
 * applies. Turns are weighted: heavier requests get fewer. When the queue is full, a new request displaces the
 * youngest waiter of the subqueue with the most weight (rejected as `full`), unless its own subqueue would then be
 * as heavy.
 *
 * There are at most 128 subqueues, however many flows clients make up. Each flow is dealt a hand of six at random
 * and uses the lightest when its first request is queued: two flows rarely collide, and clients cannot predict which
 * ones do.
 *
 * Start-time fair queueing (Goyal, Vin and Cheng, 1996), with the shuffle sharding of Kubernetes' API Priority and
 * Fairness; there, a flow queues in all six of its subqueues at once, and so gets six times the turns of a flow with a
 * single request.
 *
 * @param order The order within a subqueue. Default: `fifo()`.
 * @throws HeadgateError for a value that is not an order, or for `byShare()`.
 */
export function byParty(order: Order = fifo()): Order {
  const { ranks } = checkInner(order);
  return { create: (site) => new PartyLine(order, site), ranks };
}

/** A subqueue; the flows in it share its turns. */
interface ChargedLane {
  readonly line: Line;
  readonly number: number;
  /** Virtual time at which its next waiter is due. */
  due: number;
}

/** A flow with queued requests: its subqueue and its number of waiters there. */
interface Flow {
  readonly lane: ChargedLane;
  waiting: number;
}

class PartyLine extends Lanes {
  protected readonly lanes: Line[] = [];
  /** By number: the subqueues that were used since the queue was last empty. */
  readonly #used = new Map<number, ChargedLane>();
  /** Flows with waiters. */
  readonly #flows = new Map<string, Flow>();
  /** Virtual time, in weight: when the last granted waiter was due. */
  #now = 0;
  /** The subqueue of a chosen waiter that others overtake: virtual time stops until it is granted. */
  #passed: ChargedLane | undefined;
  /** Secret, so that clients cannot compute which flows collide. */
  readonly #seed: number;

  constructor(
    private readonly order: Order,
    private readonly site: Site,
  ) {
    super();
    this.#seed = Math.floor(site.random() * 2 ** 32);
  }

  /** The youngest waiter of the heaviest subqueue, so that only the heaviest flows lose waiters. */
  get youngest(): Waiter | undefined {
    return this.#heaviest?.youngest;
  }

  get next(): Waiter | undefined {
    return this.#firstDue(Infinity)?.line.next;
  }

  /** The subqueue of the overtaking waiter is charged for it, and so gets fewer turns afterwards. */
  besides(chosen: Waiter, room: number): Waiter | undefined {
    const own = this.#chargedLaneOf(nameOf(chosen));
    this.#passed = own;
    return this.#firstDue(room, own)?.line.next ?? own.line.besides?.(chosen, room);
  }

  spare(newcomer: Waiter): Waiter | undefined {
    const own = this.#chargedLaneOf(nameOf(newcomer)).line;
    const heaviest = this.#heaviest;
    const isLighter = own.weight + newcomer.weight < (heaviest?.weight ?? 0);
    return isLighter ? heaviest?.youngest : own.spare(newcomer);
  }

  override insert(waiter: Waiter): void {
    const name = nameOf(waiter);
    const lane = this.#chargedLaneOf(name);
    const flow = this.#flows.get(name) ?? { lane, waiting: 0 };
    flow.waiting++;
    this.#flows.set(name, flow);
    this.#use(lane);
    if (lane.line.length === 0) lane.due = Math.max(lane.due, this.#now);
    super.insert(waiter);
  }

  override remove(waiter: Waiter, isGranted: boolean): void {
    const name = nameOf(waiter);
    const flow = this.#flows.get(name) as Flow;
    super.remove(waiter, isGranted);
    if (--flow.waiting === 0) this.#flows.delete(name);
    const isOver = isGranted || flow.lane.line.length === 0;
    if (isOver && flow.lane === this.#passed) this.#passed = undefined;
    if (isGranted) {
      this.#now = Math.min(flow.lane.due, this.#passed?.due ?? Infinity);
      flow.lane.due += waiter.weight;
    }
    // The charges only matter while there are other waiters.
    if (this.length > 0) return;
    this.#used.clear();
    this.#passed = undefined;
    this.lanes.length = 0;
    this.#now = 0;
  }

  protected laneOf(waiter: Waiter): Line {
    return this.#chargedLaneOf(nameOf(waiter)).line;
  }

  #use(lane: ChargedLane): void {
    if (this.#used.has(lane.number)) return;
    this.#used.set(lane.number, lane);
    this.lanes.push(lane.line);
  }

  /** The subqueue in which the flow's requests are queued, or would be. */
  #chargedLaneOf(name: string): ChargedLane {
    const flow = this.#flows.get(name);
    if (flow !== undefined) return flow.lane;
    let number = 0;
    let minWeight = Infinity;
    for (const dealt of deal(name, this.#seed)) {
      const weight = this.#used.get(dealt)?.line.weight ?? 0;
      if (weight >= minWeight) continue;
      minWeight = weight;
      number = dealt;
    }
    return this.#used.get(number) ?? { number, line: createLine(this.order, this.site), due: 0 };
  }

  #firstDue(room: number, besides?: ChargedLane): ChargedLane | undefined {
    let first: ChargedLane | undefined;
    for (const lane of this.#used.values()) {
      const { line, due } = lane;
      if (line.length === 0 || lane === besides || due >= (first?.due ?? Infinity)) continue;
      if ((line.next as Waiter).weight <= room) first = lane;
    }
    return first;
  }

  get #heaviest(): Line | undefined {
    let heaviest: Line | undefined;
    for (const { line } of this.#used.values()) {
      if (line.weight > (heaviest?.weight ?? 0)) heaviest = line;
    }
    return heaviest;
  }
}

/** Requests without a `party` form one flow. */
function nameOf({ party = '' }: Waiter): string {
  return party;
}
