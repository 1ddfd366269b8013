import { Pause, type PermitRegistry } from '@headgate/core/engine';
import type { LimitState } from '../contract.ts';
import { DistributedPermit, type PermitSource } from './distributed-permit.ts';

/** If other processes use less than this part of the limit when a pause ends, none of them withholds much of it. */
const MIN_WITHHELD = 0.75;

/** What a withheld limit needs of its semaphore. */
interface WithholdingSemaphore extends PermitSource {
  readonly limitState: { readonly limit: number; readonly inflight: number };
  readonly held: { add(permit: DistributedPermit): void; register(): void };
}

/**
 * Withholds a limit from all processes: holds a permit of the whole limit while the limit is paused, and lowers its
 * weight in steps afterwards. If this process dies, the permit's lease expires. Of several processes that pause the
 * limit at about the same time, only the first returns it in steps, since their weights add up.
 */
export class WithheldLimit {
  readonly #pause: Pause;
  #permit: DistributedPermit | undefined = undefined;
  /** Whether another process had withheld the limit already. */
  #isSecond = false;

  constructor(
    private readonly semaphore: WithholdingSemaphore,
    private readonly created: (permit: DistributedPermit) => void,
  ) {
    const { clock } = semaphore.group.settings;
    this.#pause = new Pause(clock, () => this.#update(), true);
  }

  /** Milliseconds until requests are admitted again. */
  get left(): number {
    return this.#pause.left;
  }

  extend(milliseconds: number): void {
    this.#pause.extend(milliseconds);
    this.#update();
  }

  /** Called when the store has registered a permit: requests alone never use more than the limit. */
  registered({ inflight, limit }: LimitState): void {
    this.#isSecond ||= inflight > 2 * limit;
  }

  /** The limit has changed, or is about to be raised. */
  resized(limit: number): void {
    if (this.#permit !== undefined) this.#update(limit);
  }

  end(): void {
    this.#pause.unwatch();
    this.#permit?.release();
    this.#permit = undefined;
    this.#isSecond = false;
  }

  #update(limit = this.semaphore.limitState.limit): void {
    const { held, limitState } = this.semaphore;
    if (this.#isSecond && this.left === 0) {
      if (limitState.inflight - limit >= MIN_WITHHELD * limit) return this.end();
      // The process that paused the limit earlier has returned most of it, or has died.
      this.#isSecond = false;
    }
    const weight = this.#pause.withheld(limit);
    if (weight === 0) return this.end();
    this.#pause.watch();
    if (this.#permit !== undefined) return this.#permit.adjust(weight);
    this.#permit = new WithheldPermit(this.semaphore, weight, () => this.#withholdAgain());
    held.add(this.#permit);
    this.created(this.#permit);
    held.register();
  }

  /** Called when the permit's lease was lost, as after a restart of the store: the pause is not over. */
  #withholdAgain(): void {
    this.end();
    this.#update();
  }
}

const untracked: PermitRegistry = {
  closedReason: undefined,
  watch() {},
  abandon() {},
  remove() {},
};

/** Belongs to no request, so it is neither counted nor reported as admitted, and `close` does not wait for it. */
class WithheldPermit extends DistributedPermit {
  constructor(
    semaphore: PermitSource,
    weight: number,
    private readonly leaseLost: () => void,
  ) {
    super(semaphore, weight, 0);
  }

  override lost(): void {
    this.leaseLost();
  }

  protected override get registry(): PermitRegistry {
    return untracked;
  }
}
