import { checkOrder, type Line, type Order, type Site } from '../line.ts';
import type { Waiter } from '../waiter.ts';
import { fifo } from './fifo.ts';
import { deal } from './hand.ts';
import { Lanes } from './lanes.ts';

/**
 * Those who wait for different parties take turns, each in the order given; heavier requests make for fewer turns. In a full
 * line a newcomer displaces the youngest of the longest lane, which is rejected as `full`, unless its own is about as long.
 *
 * However many parties somebody invents, there are 128 lanes. A party waits in one of six that are dealt to it at random: in the
 * shortest as it comes, so that even among dozens hardly any two share one, and nobody can tell who would.
 *
 * Start-time fair queueing (Goyal, Vin and Cheng, 1996), with the shuffle sharding of Kubernetes' API Priority and Fairness;
 * there, a party waits in all six of its lanes at once, and so has six times as many turns as one with a single request.
 *
 * @param order Within a lane. Default: `fifo()`.
 * @throws HeadgateError for an order that is none.
 */
export function byParty(order: Order = fifo()): Order {
  const { ranks, shares } = checkOrder(order);
  return { create: (site) => new FairLine(order, site), ranks, shares };
}

/** Of parties that take their turns as one. */
interface Lane {
  readonly line: Line;
  readonly number: number;
  /** When its next is due, in virtual time. */
  due: number;
}

/** Its lane, and how many wait there for it. */
interface Party {
  readonly lane: Lane;
  waiting: number;
}

class FairLine extends Lanes {
  /** By number: only those that somebody has waited in since the line was last empty. */
  readonly #used = new Map<number, Lane>();
  /** For whom somebody waits. */
  readonly #parties = new Map<string, Party>();
  /** Virtual time, in weight: whoever was let in last was due then. */
  #now = 0;
  /** Nobody outside is to find out who shares lanes with whom. */
  readonly #seed: number;

  constructor(
    private readonly order: Order,
    private readonly site: Site,
  ) {
    super();
    this.#seed = Math.floor(site.random() * 2 ** 32);
  }

  protected get lanes(): Line[] {
    return Array.from(this.#used.values(), ({ line }) => line);
  }

  /** Of the longest lane: nobody else is to suffer for it. */
  get youngest(): Waiter | undefined {
    return this.#longest?.youngest;
  }

  get next(): Waiter | undefined {
    let first: Lane | undefined;
    for (const lane of this.#used.values()) {
      if (lane.line.length > 0 && lane.due < (first?.due ?? Infinity)) first = lane;
    }
    return first?.line.next;
  }

  spare(newcomer: Waiter): Waiter | undefined {
    const own = this.#laneFor(nameOf(newcomer)).line;
    const longest = this.#longest;
    const isShorter = own.weight + newcomer.weight < (longest?.weight ?? 0);
    return isShorter ? longest?.youngest : own.spare(newcomer);
  }

  override insert(waiter: Waiter): void {
    const name = nameOf(waiter);
    const lane = this.#laneFor(name);
    const party = this.#parties.get(name) ?? { lane, waiting: 0 };
    party.waiting++;
    this.#parties.set(name, party);
    this.#used.set(lane.number, lane);
    if (lane.line.length === 0) lane.due = Math.max(lane.due, this.#now);
    super.insert(waiter);
  }

  override remove(waiter: Waiter, isGranted: boolean): void {
    const name = nameOf(waiter);
    const party = this.#parties.get(name) as Party;
    super.remove(waiter, isGranted);
    if (--party.waiting === 0) this.#parties.delete(name);
    if (isGranted) {
      this.#now = party.lane.due;
      party.lane.due += waiter.weight;
    }
    // What a lane has had is forgotten with the last who could be the worse for it.
    if (this.length > 0) return;
    this.#used.clear();
    this.#now = 0;
  }

  protected laneOf(waiter: Waiter): Line {
    return this.#laneFor(nameOf(waiter)).line;
  }

  /** Where the party waits, or would. */
  #laneFor(name: string): Lane {
    const party = this.#parties.get(name);
    if (party !== undefined) return party.lane;
    let number = 0;
    let least = Infinity;
    for (const dealt of deal(name, this.#seed)) {
      const weight = this.#used.get(dealt)?.line.weight ?? 0;
      if (weight >= least) continue;
      least = weight;
      number = dealt;
    }
    return this.#used.get(number) ?? { number, line: this.order.create(this.site), due: 0 };
  }

  get #longest(): Line | undefined {
    let longest: Line | undefined;
    for (const { line } of this.#used.values()) {
      if (line.weight > (longest?.weight ?? 0)) longest = line;
    }
    return longest;
  }
}

/** Those that say nothing wait for one party. */
function nameOf({ party = '' }: Waiter): string {
  return party;
}
