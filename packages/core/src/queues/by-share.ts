import { checkPart } from '../checks.ts';
import { invalid } from '../errors.ts';
import type { AdmittedRequest } from '../semaphore/admitted-request.ts';
import { isHigher } from '../semaphore/priority.ts';
import {
  checkInner,
  Order,
  type Queue,
  type QueueContext,
  type QueueStats,
} from '../semaphore/queue.ts';
import type { Waiter } from '../semaphore/waiter.ts';
import { fifo } from './fifo.ts';
import { ROUNDING_TOLERANCE, Share } from './share.ts';
import { MAX_IN_A_ROW, Subqueues } from './subqueues.ts';

/**
 * Guarantees named parts of the limit. A released permit goes first to a share that holds less than its part, by
 * priority and arrival otherwise. In a full queue, a new request of such a share displaces a waiter of a share that has
 * more than its part (rejected as `full`). Other requests may use what a share does not use; permits are never revoked.
 * A share has unused capacity while its weight in flight is below its part, as in Netflix' concurrency-limits. A share
 * whose waiters are heavier than its part gets the part on average: after such a waiter, it is not served until the
 * others have caught up.
 *
 * @param parts Parts of the limit by name: numbers above 0 with a sum of at most 1.
 * @param order The order within a share. Default: `fifo()`.
 * @throws HeadgateError for invalid parts, and for a value that is not an order, or for `byShare()`.
 */
export function byShare(parts: Readonly<Record<string, number>>, order: Order = fifo()): Order {
  const { ignores } = checkInner(order);
  const byName = checkParts(parts);
  const create = (context: QueueContext) => new ShareQueue(byName, order, context);
  return new Order(create, ignores, [...byName.keys()]);
}

class ShareQueue extends Subqueues {
  protected readonly subqueues: readonly Queue[];
  readonly #byName = new Map<string | undefined, Share>();
  readonly #shares: readonly Share[];
  readonly #ranks: boolean;
  /** Consecutive grants while no share had free guaranteed capacity. */
  #inARow = 0;
  /** Total weight ever admitted. */
  #admitted = 0;

  constructor(parts: ReadonlyMap<string, number>, order: Order, context: QueueContext) {
    super();
    this.#ranks = !order.ignores.includes('priority');
    for (const [name, part] of [...parts, [undefined, 0] as const]) {
      this.#byName.set(name, new Share(order.create(context), part, context));
    }
    this.#shares = [...this.#byName.values()];
    this.subqueues = this.#shares.map(({ queue }) => queue);
  }

  get next(): Waiter | undefined {
    return this.#chosen?.next;
  }

  changeInflight({ share }: AdmittedRequest, weight: number): void {
    this.#of(share).held += weight;
    if (weight > 0) this.#admitted += weight;
  }

  override stats(): QueueStats {
    const named = [...this.#byName].filter(([name]) => name !== undefined);
    const shares = named.map(([name, { part, held, queue }]) => {
      return [name, { part, inflight: held, queued: queue.length }];
    });
    return { ...super.stats(), shares: Object.fromEntries(shares) };
  }

  override insert(waiter: Waiter): void {
    this.#of(waiter.share).insert(this.#admitted);
    super.insert(waiter);
  }

  override remove(waiter: Waiter, isGranted: boolean): void {
    const hasGuaranteedRoom = isGranted && this.#chosen?.hasGuaranteedRoom(this.#admitted);
    super.remove(waiter, isGranted);
    if (!isGranted) return;
    this.#of(waiter.share).recordGrant(waiter, this.#admitted);
    if (hasGuaranteedRoom) return;
    this.#inARow = this.length > 0 && this.#inARow < MAX_IN_A_ROW ? this.#inARow + 1 : 0;
  }

  protected subqueueOf({ share }: AdmittedRequest): Queue {
    return this.#of(share).queue;
  }

  #of(share: string | undefined): Share {
    return this.#byName.get(share) as Share;
  }

  /**
   * The share to serve next. Shares with free guaranteed capacity come first, among these the one that uses the
   * smallest fraction of its part. A share that is not due yet is only served if the others have no waiters. All shares
   * compete for the rest of the limit, by priority or arrival.
   */
  get #chosen(): Share | undefined {
    const admitted = this.#admitted;
    const best = this.#best(() => true);
    if (best === undefined || best.hasGuaranteedRoom(admitted)) return best;
    const repaying = this.#shares.find((share) => share.isRepaying(admitted));
    if (repaying !== undefined)
      return this.#best((share) => share.part > 0 && !share.isRepaying(admitted)) ?? repaying;
    return this.#inARow < MAX_IN_A_ROW ? best : this.#of((this.oldest as Waiter).share);
  }

  /** The best of the shares that have waiters and for which `test` is true. */
  #best(test: (share: Share) => boolean, isBetter = this.#precedes): Share | undefined {
    let best: Share | undefined;
    for (const share of this.#shares) {
      if (share.queue.length === 0 || !test(share)) continue;
      if (best === undefined || isBetter(share, best)) best = share;
    }
    return best;
  }

  /** Shares with free guaranteed capacity come first; then priority and arrival decide. */
  readonly #precedes = (one: Share, other: Share): boolean => {
    const hasRoom = one.hasGuaranteedRoom(this.#admitted);
    if (hasRoom !== other.hasGuaranteedRoom(this.#admitted)) return hasRoom;
    return hasRoom ? isNeedier(one, other) : isBefore(one.next, other.next, this.#ranks);
  };

  /** The share whose last waiter is served last. */
  protected get displaceFrom(): Queue | undefined {
    return this.#best(
      () => true,
      (one, other) => one.turns() > other.turns(),
    )?.queue;
  }

  /** A request is served before the waiter that it displaces would have been. */
  protected displaces({ share, weight }: Waiter, _own: Queue, displaceFrom: Queue): boolean {
    const slowest = this.#shares.find(({ queue }) => queue === displaceFrom) as Share;
    return this.#of(share).turns(weight) < slowest.turns();
  }
}

/**
 * Prefers the share that uses a smaller fraction of its part; then the share with the heavier next waiter, which might
 * not fit later; then the share with the older waiter.
 */
function isNeedier(one: Share, other: Share): boolean {
  const held = one.held / one.part - other.held / other.part;
  if (held !== 0) return held < 0;
  const weight = (one.next?.weight ?? 0) - (other.next?.weight ?? 0);
  if (weight !== 0) return weight > 0;
  return isBefore(one.queue.oldest, other.queue.oldest, false);
}

function isBefore(one: Waiter | undefined, other: Waiter | undefined, byClass: boolean): boolean {
  if (one === undefined || other === undefined) return one !== undefined;
  if (byClass && one.priority !== other.priority) return isHigher(one.priority, other.priority);
  return one.arrival < other.arrival;
}

function checkParts(parts: Readonly<Record<string, number>>): ReadonlyMap<string, number> {
  const isRecord = typeof parts === 'object' && parts !== null && !Array.isArray(parts);
  const byName = new Map(isRecord ? Object.entries(parts) : []);
  if (byName.size === 0) throw invalid('parts', 'an object with a part for each name', parts);
  let sum = 0;
  for (const [name, part] of byName) sum += checkPart(`parts.${name}`, part);
  // Tolerates rounding errors: 0.1 + 0.2 is slightly more than 0.3.
  if (sum <= 1 + ROUNDING_TOLERANCE) return byName;
  throw invalid('parts', 'numbers that together are at most 1', sum);
}
