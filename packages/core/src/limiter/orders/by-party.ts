import { checkInner, type Line, type Order, type Site } from '../line.ts';
import { createLine } from '../safe-line.ts';
import type { Waiter } from '../waiter.ts';
import { fifo } from './fifo.ts';
import { deal } from './hand.ts';
import { Lanes } from './lanes.ts';

/**
 * Parties take turns; within a party, requests are served in the order given. Turns are counted by weight: heavier requests, fewer
 * turns. When the line is full, a newcomer displaces the youngest of the heaviest lane (rejected as `full`), unless its own would
 * be as heavy.
 *
 * There are at most 128 lanes, however many parties are invented. Each party is dealt six at random, and takes the lightest when its
 * first request begins to wait: so two rarely share one, and nobody can predict which.
 *
 * Start-time fair queueing (Goyal, Vin and Cheng, 1996), with the shuffle sharding of Kubernetes' API Priority and Fairness;
 * there, a party waits in all six of its lanes at once, and so has six times as many turns as one with a single request.
 *
 * @param order Within a lane. Default: `fifo()`.
 * @throws HeadgateError for an order that is none, or `byShare()`.
 */
export function byParty(order: Order = fifo()): Order {
  const { ranks } = checkInner(order);
  return { create: (site) => new PartyLine(order, site), ranks };
}

/** Of parties that take their turns as one. */
interface ChargedLane {
  readonly line: Line;
  readonly number: number;
  /** When its next is due, in virtual time. */
  due: number;
}

/** Its lane, and how many wait there for it. */
interface Party {
  readonly lane: ChargedLane;
  waiting: number;
}

class PartyLine extends Lanes {
  protected readonly lanes: Line[] = [];
  /** By number: only those that somebody has waited in since the line was last empty. */
  readonly #used = new Map<number, ChargedLane>();
  /** For whom somebody waits. */
  readonly #parties = new Map<string, Party>();
  /** Virtual time, in weight: whoever was let in last was due then. */
  #now = 0;
  /** The lane of a chosen waiter that others pass: virtual time stands still for it. */
  #passed: ChargedLane | undefined;
  /** Nobody outside is to find out who shares lanes with whom. */
  readonly #seed: number;

  constructor(
    private readonly order: Order,
    private readonly site: Site,
  ) {
    super();
    this.#seed = Math.floor(site.random() * 2 ** 32);
  }

  /** Of the heaviest lane: nobody else is to suffer for it. */
  get youngest(): Waiter | undefined {
    return this.#heaviest?.youngest;
  }

  get next(): Waiter | undefined {
    return this.#firstDue(Infinity)?.line.next;
  }

  /** Its lane is charged for that, and so has fewer turns afterwards. */
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
    const party = this.#parties.get(name) ?? { lane, waiting: 0 };
    party.waiting++;
    this.#parties.set(name, party);
    this.#use(lane);
    if (lane.line.length === 0) lane.due = Math.max(lane.due, this.#now);
    super.insert(waiter);
  }

  override remove(waiter: Waiter, isGranted: boolean): void {
    const name = nameOf(waiter);
    const party = this.#parties.get(name) as Party;
    super.remove(waiter, isGranted);
    if (--party.waiting === 0) this.#parties.delete(name);
    const isOver = isGranted || party.lane.line.length === 0;
    if (isOver && party.lane === this.#passed) this.#passed = undefined;
    if (isGranted) {
      this.#now = Math.min(party.lane.due, this.#passed?.due ?? Infinity);
      party.lane.due += waiter.weight;
    }
    // What a lane has had is forgotten with the last who could be the worse for it.
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

  /** Where the party waits, or would. */
  #chargedLaneOf(name: string): ChargedLane {
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

/** Those that say nothing wait for one party. */
function nameOf({ party = '' }: Waiter): string {
  return party;
}
