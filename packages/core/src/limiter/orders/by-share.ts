import { checkPart } from '../../checks.ts';
import { invalid } from '../../errors.ts';
import { checkInner, type Line, type Order, type Site } from '../line.ts';
import { isHigher } from '../priority.ts';
import type { Waiter } from '../waiter.ts';
import { fifo } from './fifo.ts';
import { Lanes } from './lanes.ts';

/**
 * Parts of a limit that are guaranteed, by name. While nobody wants a part, others borrow it; a place that comes free goes to who
 * holds less than its part, and in a full line such a newcomer displaces one of those who have more, which is rejected as
 * `full`. Nothing is taken back from who holds it. What the parts leave over is for all.
 * A share counts as unused while its weight in flight is below its part of the limit, as in Netflix' concurrency-limits.
 *
 * @param shares Each a number above 0 and at most 1; together at most 1.
 * @param order Within a share. Default: `fifo()`.
 * @throws HeadgateError for shares that are none or come to more than 1, and for an order that is none.
 */
export function byShare(shares: Readonly<Record<string, number>>, order: Order = fifo()): Order {
  const { ranks } = checkInner(order);
  const parts = checkShares(shares);
  return {
    create: (site) => new ShareLine(parts, order, site),
    ranks,
    shareNames: [...parts.keys()],
  };
}

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

  constructor(
    parts: ReadonlyMap<string, number>,
    order: Order,
    private readonly site: Site,
  ) {
    super();
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
    return (this.#neediest ?? this.#foremost)?.line.next;
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

  protected laneOf({ share }: Waiter): Line {
    return this.#of(share).line;
  }

  #of(share: string | undefined): Share {
    return this.#byName.get(share) as Share;
  }

  /** Of those who hold less than their part, the one who holds least of it. */
  get #neediest(): Share | undefined {
    let neediest: Share | undefined;
    for (const share of this.#byName.values()) {
      const { line, part, held } = share;
      if (line.length === 0 || held >= part * this.site.limit) continue;
      if (neediest === undefined || held / part < neediest.held / neediest.part) neediest = share;
    }
    return neediest;
  }

  /** Where no part is owed: by class, and then by arrival. */
  get #foremost(): Share | undefined {
    let foremost: Share | undefined;
    for (const share of this.#byName.values()) {
      if (isBefore(share.line.next, foremost?.line.next)) foremost = share;
    }
    return foremost;
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

function isBefore(one: Waiter | undefined, other: Waiter | undefined): boolean {
  if (one === undefined || other === undefined) return one !== undefined;
  if (one.priority !== other.priority) return isHigher(one.priority, other.priority);
  return one.arrival < other.arrival;
}

function checkShares(shares: Readonly<Record<string, number>>): ReadonlyMap<string, number> {
  const isRecord = typeof shares === 'object' && shares !== null && !Array.isArray(shares);
  const parts = new Map(isRecord ? Object.entries(shares) : []);
  if (parts.size === 0) throw invalid('shares', 'an object with a part for each name', shares);
  let sum = 0;
  for (const [name, part] of parts) sum += checkPart(`shares.${name}`, part);
  // As 0.1 + 0.2 comes to a little more than 0.3.
  if (sum <= 1 + 1e-9) return parts;
  throw invalid('shares', 'parts that together are at most 1', sum);
}
