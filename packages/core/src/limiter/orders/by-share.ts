import { checkPart } from '../../checks.ts';
import { invalid } from '../../errors.ts';
import { checkInner, type Line, type Order, type Site } from '../line.ts';
import { isHigher } from '../priority.ts';
import { createLine } from '../safe-line.ts';
import type { Waiter } from '../waiter.ts';
import { fifo } from './fifo.ts';
import { Lanes, mostInARow } from './lanes.ts';
import { rounding, Share } from './share.ts';

/**
 * Parts of a limit that are guaranteed, by name. While a part is unused, others borrow it; released weight goes to a share
 * that holds less than its part, and in a full queue its newcomer displaces a waiter of a share that has more, which is
 * rejected as `full`. Permits are never revoked. What the parts leave over is for all.
 * A share is unused while its weight in flight is below its part of the limit, as in Netflix' concurrency-limits. Waiters
 * heavier than their part have it over time: their share waits until the others have had as much.
 *
 * @param shares Each a number above 0 and at most 1; together at most 1.
 * @param order Within a share. Default: `fifo()`.
 * @throws HeadgateError for shares that are none or come to more than 1, and for an order that is none.
 */
export function byShare(shares: Readonly<Record<string, number>>, order: Order = fifo()): Order {
  const { ranks } = checkInner(order);
  const parts = checkShares(shares);
  const create = (site: Site) => new ShareLine(parts, order, site);
  return { create, ranks, shareNames: [...parts.keys()] };
}

class ShareLine extends Lanes {
  protected readonly lanes: readonly Line[];
  readonly #byName = new Map<string | undefined, Share>();
  readonly #shares: readonly Share[];
  readonly #ranks: boolean;
  /** Grants in a row by class, where no part was owed. */
  #inARow = 0;
  /** The weight admitted in all. */
  #admitted = 0;

  constructor(parts: ReadonlyMap<string, number>, order: Order, site: Site) {
    super();
    this.#ranks = order.ranks === true;
    for (const [name, part] of [...parts, [undefined, 0] as const]) {
      this.#byName.set(name, new Share(createLine(order, site), part, site));
    }
    this.#shares = [...this.#byName.values()];
    this.lanes = this.#shares.map(({ line }) => line);
  }

  /** Of the share that has the most beyond its part. */
  get youngest(): Waiter | undefined {
    return this.#greediest?.line.youngest;
  }

  get next(): Waiter | undefined {
    return this.#chosen?.next;
  }

  /** No other share passes a waiter that its part has room for. */
  besides(chosen: Waiter, room: number): Waiter | undefined {
    const own = this.#of(chosen.share);
    const other = own.isTooHeavy(chosen)
      ? this.#best((share) => share !== own && (share.next?.weight ?? Infinity) <= room)
      : undefined;
    return other?.next ?? own.line.besides?.(chosen, room);
  }

  spare(newcomer: Waiter): Waiter | undefined {
    const own = this.#of(newcomer.share);
    const greediest = this.#greediest;
    if (own.beyond >= 0 || greediest === undefined || greediest.beyond <= 0) {
      return own.line.spare(newcomer);
    }
    return greediest.line.youngest;
  }

  hold(share: string | undefined, weight: number): void {
    this.#of(share).held += weight;
    if (weight > 0) this.#admitted += weight;
  }

  override insert(waiter: Waiter): void {
    this.#of(waiter.share).insert(this.#admitted);
    super.insert(waiter);
  }

  override remove(waiter: Waiter, isGranted: boolean): void {
    const isOwed = isGranted && this.#chosen?.isOwed(this.#admitted);
    super.remove(waiter, isGranted);
    if (!isGranted) return;
    this.#of(waiter.share).charge(waiter, this.#admitted);
    if (isOwed) return;
    this.#inARow = this.length > 0 && this.#inARow < mostInARow ? this.#inARow + 1 : 0;
  }

  protected laneOf({ share }: Waiter): Line {
    return this.#of(share).line;
  }

  #of(share: string | undefined): Share {
    return this.#byName.get(share) as Share;
  }

  /**
   * Of the shares that are owed room, the one that holds the least of its part. Room owed to one whose turn has not come is
   * for the other parts, and for itself where they want none. The rest is for all, in the order of arrival or by class.
   */
  get #chosen(): Share | undefined {
    const admitted = this.#admitted;
    let best: Share | undefined;
    let bestNamed: Share | undefined;
    let paying: Share | undefined;
    for (const share of this.#shares) {
      if (share.line.length === 0) continue;
      if (best === undefined || this.#isBefore(share, best)) best = share;
      if (share.isPaying(admitted)) paying ??= share;
      else if (share.part > 0 && (bestNamed === undefined || this.#isBefore(share, bestNamed)))
        bestNamed = share;
    }
    if (best === undefined || best.isOwed(admitted)) return best;
    if (paying !== undefined) return bestNamed ?? paying;
    return this.#inARow < mostInARow ? best : this.#patientest;
  }

  /** Of the shares that have waiters and pass the test: those that are owed room first, then by class and arrival. */
  #best(test: (share: Share) => boolean): Share | undefined {
    let best: Share | undefined;
    for (const share of this.#shares) {
      if (share.line.length === 0 || !test(share)) continue;
      if (best === undefined || this.#isBefore(share, best)) best = share;
    }
    return best;
  }

  #isBefore(one: Share, other: Share): boolean {
    const isOwed = one.isOwed(this.#admitted);
    if (isOwed !== other.isOwed(this.#admitted)) return isOwed;
    return isOwed ? isNeedier(one, other) : isBefore(one.next, other.next, this.#ranks);
  }

  /** Whose oldest has waited longest. */
  get #patientest(): Share | undefined {
    const { oldest } = this;
    return oldest && this.#of(oldest.share);
  }

  get #greediest(): Share | undefined {
    let greediest: Share | undefined;
    for (const share of this.#shares) {
      if (share.line.length === 0) continue;
      if (greediest === undefined || share.beyond > greediest.beyond) greediest = share;
    }
    return greediest;
  }
}

/** Who holds less of its part; of equals, the heavier, which might not fit later, and then whose oldest came first. */
function isNeedier(one: Share, other: Share): boolean {
  const held = one.held / one.part - other.held / other.part;
  if (held !== 0) return held < 0;
  const weight = (one.next?.weight ?? 0) - (other.next?.weight ?? 0);
  if (weight !== 0) return weight > 0;
  return isBefore(one.line.oldest, other.line.oldest, false);
}

function isBefore(one: Waiter | undefined, other: Waiter | undefined, byClass: boolean): boolean {
  if (one === undefined || other === undefined) return one !== undefined;
  if (byClass && one.priority !== other.priority) return isHigher(one.priority, other.priority);
  return one.arrival < other.arrival;
}

function checkShares(shares: Readonly<Record<string, number>>): ReadonlyMap<string, number> {
  const isRecord = typeof shares === 'object' && shares !== null && !Array.isArray(shares);
  const parts = new Map(isRecord ? Object.entries(shares) : []);
  if (parts.size === 0) throw invalid('shares', 'an object with a part for each name', shares);
  let sum = 0;
  for (const [name, part] of parts) sum += checkPart(`shares.${name}`, part);
  // As 0.1 + 0.2 comes to a little more than 0.3.
  if (sum <= 1 + rounding) return parts;
  throw invalid('shares', 'parts that together are at most 1', sum);
}
