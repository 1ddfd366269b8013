import { checkPart } from '../../checks.ts';
import { invalid } from '../../errors.ts';
import { checkInner, type Line, type Order, type Site } from '../line.ts';
import { isHigher } from '../priority.ts';
import type { Waiter } from '../waiter.ts';
import { fifo } from './fifo.ts';
import { Lanes, mostInARow } from './lanes.ts';

/**
 * Parts of a limit that are guaranteed, by name. While nobody wants a part, others borrow it; a place that comes free
 * goes to who holds less than its part, and in a full line such a newcomer displaces one of those who have more, which
 * is rejected as `full`. Nothing is taken back from who holds it. What the parts leave over is for all.
 * A share is unused while its weight in flight is below its part of the limit, as in Netflix' concurrency-limits.
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

/** Parts are products of fractions: 0.07 of 100 comes to a little more than 7. */
const rounding = 1e-9;

/** Those of one share. */
interface Share {
  readonly line: Line;
  /** Of the limit; 0 for those without a share. */
  readonly part: number;
  /** In flight. */
  held: number;
}

class ShareLine extends Lanes {
  protected readonly lanes: readonly Line[];
  readonly #byName = new Map<string | undefined, Share>();
  readonly #ranks: boolean;
  /** Grants in a row by class, where no part was owed. */
  #inARow = 0;

  constructor(
    parts: ReadonlyMap<string, number>,
    order: Order,
    private readonly site: Site,
  ) {
    super();
    this.#ranks = order.ranks === true;
    for (const [name, part] of [...parts, [undefined, 0] as const]) {
      this.#byName.set(name, { line: order.create(site), part, held: 0 });
    }
    this.lanes = Array.from(this.#byName.values(), ({ line }) => line);
  }

  /** Of the share that has the most beyond its part. */
  get youngest(): Waiter | undefined {
    return this.#greediest?.line.youngest;
  }

  get next(): Waiter | undefined {
    const owed = this.#neediest;
    if (owed !== undefined) return owed.line.next;
    return (this.#inARow < mostInARow ? this.#foremost : this.#patientest)?.line.next;
  }

  spare(newcomer: Waiter): Waiter | undefined {
    const own = this.#of(newcomer.share);
    const greediest = this.#greediest;
    if (this.#beyond(own) >= 0 || greediest === undefined || this.#beyond(greediest) <= 0) {
      return own.line.spare(newcomer);
    }
    return greediest.line.youngest;
  }

  hold(share: string | undefined, weight: number): void {
    this.#of(share).held += weight;
  }

  override remove(waiter: Waiter, isGranted: boolean): void {
    const isOwed = this.#neediest !== undefined;
    super.remove(waiter, isGranted);
    if (!isGranted || isOwed) return;
    this.#inARow = this.length > 0 && this.#inARow < mostInARow ? this.#inARow + 1 : 0;
  }

  protected laneOf({ share }: Waiter): Line {
    return this.#of(share).line;
  }

  #of(share: string | undefined): Share {
    return this.#byName.get(share) as Share;
  }

  /** Of those that are owed a place, the one that holds the least of its part; of equals, whose oldest came first. */
  get #neediest(): Share | undefined {
    let neediest: Share | undefined;
    for (const share of this.#byName.values()) {
      if (!this.#isOwed(share)) continue;
      if (neediest === undefined || isNeedier(share, neediest)) neediest = share;
    }
    return neediest;
  }

  /** Whether it may have its next without going beyond its part, rounded up; the first in any case. */
  #isOwed({ line, part, held }: Share): boolean {
    const due = part * this.site.limit - rounding;
    const { next } = line;
    return next !== undefined && held < due && (held === 0 || held + next.weight <= Math.ceil(due));
  }

  /** Where no part is owed: by class, where there are classes, and then by arrival. */
  get #foremost(): Share | undefined {
    let foremost: Share | undefined;
    let first: Waiter | undefined;
    for (const share of this.#byName.values()) {
      const { next } = share.line;
      if (!isBefore(next, first, this.#ranks)) continue;
      foremost = share;
      first = next;
    }
    return foremost;
  }

  /** Whose oldest has waited longest. */
  get #patientest(): Share | undefined {
    const { oldest } = this;
    return oldest && this.#of(oldest.share);
  }

  get #greediest(): Share | undefined {
    let greediest: Share | undefined;
    for (const share of this.#byName.values()) {
      if (share.line.length === 0) continue;
      if (greediest === undefined || this.#beyond(share) > this.#beyond(greediest))
        greediest = share;
    }
    return greediest;
  }

  /** How much more than its part a share has and waits for; below 0, how much it may still want. */
  #beyond({ line, part, held }: Share): number {
    return held + line.weight - part * this.site.limit;
  }
}

function isNeedier(one: Share, other: Share): boolean {
  const difference = one.held / one.part - other.held / other.part;
  if (difference !== 0) return difference < 0;
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
